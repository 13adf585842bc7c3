import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lookQuery } from "../../api/localization";
import type { ExampleDetail, Project } from "../../api/types";
import { Overlay } from "../../media/image/Overlay";
import { onScreen } from "../../media/image/urls";
import { Whole } from "../../media/Thumbnail";
import reading from "../../media/text/Text.module.css";
import type { Sought } from "../../media/text/words";
import { t } from "../../strings";
import { LabelOver } from "../../tasks/boxes/LabelOver";
import { boxesOf } from "../../tasks/boxes/model";
import { Row } from "../../tasks/instructions/Row";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { formatChance } from "../../ui/format";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./DetailPanel.module.css";

const { where: text } = t.localization;
const SMALL = 200;

/** Whether a model of the project can be asked where it looks. */
export const canLook = (project: Project): boolean =>
  project.medium === "image" && traitsOf(project).namesOneClass;

type PicturedProps = {
  project: Project;
  example: ExampleDetail;
  marked: readonly Sought[];
  /** Whether it is shown where the model looks. */
  looks: boolean;
  onLooks: (looks: boolean) => void;
};

/** The example itself; of an image also where the last round's model looks. */
export function Pictured({ project, example, marked, looks, onLooks }: PicturedProps) {
  const [classId, setClassId] = useState<number | null>(null);
  const { width, height } = example;
  const isLooking = looks && canLook(project);
  const look = useQuery({ ...lookQuery(project.id, example.id, classId), enabled: isLooking });
  const seen = isLooking ? look.data : undefined;
  const isSmall = Math.max(width ?? 0, height ?? 0) < SMALL;
  const nameOf = (id: number) => project.classes.find((one) => one.id === id)?.name ?? String(id);
  return (
    <>
      <div
        className={styles.stage}
        data-medium={project.medium}
        data-boxes={boxesOf(example.whole_label) !== null || undefined}
        data-small={isSmall || undefined}
        aria-busy={isLooking && look.isFetching}
      >
        {seen && width !== null && height !== null ? (
          <Overlay
            src={onScreen(example)}
            alt={text.alt(example.name, nameOf(seen.class_id))}
            width={width}
            height={height}
            levels={seen.map}
            square={seen.square}
            boxes={seen.box ? [{ edges: seen.box, tone: "found" }] : []}
            crisp={isSmall}
          />
        ) : example.fields ? (
          <section
            className={reading.whole}
            aria-label={example.name}
            data-reads=""
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keys.
            tabIndex={0}
          >
            <Row fields={example.fields} />
          </section>
        ) : (
          <Whole
            content={{ ...example, example_id: example.id }}
            marked={marked}
            alt={example.name}
            {...(width !== null && { width })}
            {...(height !== null && { height })}
          />
        )}
        <LabelOver example={example} label={example.whole_label} classes={project.classes} />
      </div>
      {canLook(project) && (
        <div className={styles.where}>
          <Button
            size="small"
            aria-pressed={looks}
            aria-keyshortcuts="w"
            title={text.key}
            onClick={() => onLooks(!looks)}
          >
            {looks ? text.hide : text.action}
          </Button>
          {looks && (
            <SelectField
              label={text.class}
              value={classId ?? ""}
              onChange={(event) => setClassId(Number(event.target.value) || null)}
            >
              <option value="">{text.said}</option>
              {project.classes.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
          )}
          {looks && look.error && (
            <Notice
              actions={
                <Button size="small" onClick={() => look.refetch()}>
                  {t.common.retry}
                </Button>
              }
            >
              <Said>{look.error}</Said>
            </Notice>
          )}
          <p aria-live="polite">
            {isLooking && look.isFetching && text.looking}
            {seen && !look.isFetching && (
              <>
                {saidOf(seen, nameOf)} {seen.box ? text.hint : text.nothing}
              </>
            )}
          </p>
        </div>
      )}
    </>
  );
}

type Seen = { round: number; class_id: number; predicted_class_id: number; probability: number };

function saidOf(seen: Seen, nameOf: (id: number) => string): string {
  const { round, class_id: shown, predicted_class_id: predicted } = seen;
  const share = formatChance(seen.probability, 1);
  return shown === predicted
    ? text.says(round, nameOf(shown), share)
    : text.saysOther(round, nameOf(shown), share, nameOf(predicted));
}

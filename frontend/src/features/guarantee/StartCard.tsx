import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { beginCertificate, type CertificateInput, certificatesQuery } from "../../api/guarantee";
import { projectQuery } from "../../api/projects";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { focusInvalid } from "../../ui/focusInvalid";
import { formatCount } from "../../ui/format";
import { useManages } from "../../ui/managing";
import { NumberField } from "../../ui/NumberField";
import { highOf, of100, sureOf } from "../../ui/outOf";
import { Segments } from "../../ui/Segments";
import { useGoOn } from "../../ui/useGoOn";
import { CertificateList } from "./CertificateList";
import { Expected } from "./Expected";
import styles from "./Guarantee.module.css";
import { isUnderWay, oddsOf } from "./words";

const TARGETS = [0.01, 0.02, 0.05, 0.1];
const CONFIDENCES = [0.9, 0.95, 0.99];
const USUAL: CertificateInput = {
  ...{ target: 0.02, confidence: 0.95, scope: "all", missed_in: null, at_most: null, overlap: 1 },
};

/** Where an owner says how many labels may be wrong, and how sure that has to be. */
export function StartCard({ project }: { project: Project }) {
  const { start: text } = t.guarantee;
  const [given, setGiven] = useState(USUAL);
  const manages = useManages();
  const client = useQueryClient();
  const goOn = useGoOn();
  const begin = useMutation({
    mutationFn: () => beginCertificate(project.id, given),
    onSuccess: ({ id }) => goOn(`/projects/${project.id}/certificates/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey }),
  });
  const change = (values: Partial<CertificateInput>) => {
    begin.reset();
    setGiven({ ...given, ...values });
  };
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!focusInvalid(event.currentTarget)) begin.mutate();
  };
  const { unlabeled, queried } = project.counts;
  const isDone = unlabeled + queried === 0;
  const latest = useInfiniteQuery(certificatesQuery(project.id));
  const isOpen = latest.data?.pages.some(({ items }) => items.some(isUnderWay)) ?? false;
  const odds = oddsOf(given.confidence);
  return (
    <Card title={text.title} hint={text.hint}>
      {isDone && <p className={styles.quiet}>{text.nothing}</p>}
      {!isDone && isOpen && <p className={styles.quiet}>{text.open}</p>}
      {!isDone && !isOpen && manages && (
        <form className={styles.form} onSubmit={onSubmit}>
          <Wrong value={given.target} onChange={(target) => change({ target })} />
          <Segments
            label={text.confidence}
            options={CONFIDENCES.map((one) => ({ value: String(one), name: sureOf(one) }))}
            value={String(given.confidence)}
            onChange={(value) => change({ confidence: Number(value) })}
          />
          <p className={styles.promise}>
            <strong>{text.promise(highOf(given.target))}</strong>{" "}
            <span>{text.odds(formatCount(odds.kept), formatCount(odds.of))}</span>
          </p>
          <Choices given={given} onChange={change} />
          <ErrorNotice error={begin.error} />
          <div className={styles.actions}>
            <Button type="submit" kind="primary" busy={begin.isPending}>
              {text.action}
            </Button>
            {/* What was measured is of other choices than these, once they change. */}
            <Expected key={JSON.stringify(given)} project={project} given={given} />
          </div>
        </form>
      )}
      <CertificateList projectId={project.id} />
    </Card>
  );
}

type WrongProps = { value: number; onChange: (value: number) => void };

/** A few usual shares of wrong labels, or one of one's own. */
function Wrong({ value, onChange }: WrongProps) {
  const { start: text } = t.guarantee;
  const [isOther, setOther] = useState(!TARGETS.includes(value));
  return (
    <div className={styles.wrong}>
      <Segments
        label={text.wrong}
        options={[
          ...TARGETS.map((one) => ({ value: String(one), name: highOf(one) })),
          { value: "other", name: text.other },
        ]}
        value={isOther ? "other" : String(value)}
        onChange={(chosen) => {
          setOther(chosen === "other");
          if (chosen !== "other") onChange(Number(chosen));
        }}
      />
      {isOther && (
        <NumberField
          label={text.otherWrong}
          value={of100(value)}
          above={0}
          max={50}
          onChange={(percent) => percent !== null && onChange(percent / 100)}
        />
      )}
    </div>
  );
}

type ChoicesProps = {
  given: CertificateInput;
  onChange: (values: Partial<CertificateInput>) => void;
};

/** What few need to choose. */
function Choices({ given, onChange }: ChoicesProps) {
  const { start: text } = t.guarantee;
  return (
    <details className={styles.more}>
      <summary>{text.more}</summary>
      <div className={styles.choices}>
        <Segments
          label={text.scope}
          options={(["all", "class"] as const).map((value) => ({
            value,
            name: text.scopes[value],
          }))}
          value={given.scope}
          onChange={(scope) => onChange({ scope })}
        />
        <p className={styles.quiet}>{text.scopeHints[given.scope]}</p>
        <NumberField
          label={text.missed}
          hint={text.missedHint}
          value={given.missed_in == null ? null : of100(given.missed_in)}
          nullable
          above={0}
          max={50}
          onChange={(percent) => onChange({ missed_in: percent === null ? null : percent / 100 })}
        />
        <NumberField
          label={text.budget}
          hint={text.budgetHint}
          value={given.at_most ?? null}
          nullable
          integer
          min={1}
          max={1_000_000}
          onChange={(at_most) => onChange({ at_most })}
        />
        <NumberField
          label={text.overlap}
          hint={text.overlapHint}
          value={given.overlap}
          integer
          min={1}
          max={5}
          onChange={(overlap) => overlap !== null && onChange({ overlap })}
        />
      </div>
    </details>
  );
}

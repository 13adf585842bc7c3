import type { ReactNode } from "react";
import type { ExampleDetail, Project } from "../../api/types";
import { t } from "../../strings";
import { saidOf } from "../../tasks/said";
import { stateNames } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { formatBytes, formatChance, formatCount } from "../../ui/format";
import { isLikelyOod } from "../../ui/likelyOod";
import { Term } from "../../ui/Term";
import styles from "./DetailPanel.module.css";

const { detail: text } = t.pool;

type FactsProps = { project: Project; example: ExampleDetail };

/** What is known of an example in a word or a number each. */
export function Facts({ project, example }: FactsProps) {
  return (
    <dl className={styles.facts}>
      <Fact name={text.label}>
        {example.label ?? saidOf(example.whole_label) ?? verdictOf(project, example)}
      </Fact>
      <Fact name={text.predicted}>
        <Prediction project={project} example={example} />
      </Fact>
      <Score of="purity" name={text.purity} value={example.purity} />
      <Score of="informativeness" name={text.informativeness} value={example.informativeness} />
      <Score of="strategy_score" name={text.meta} value={example.meta_score} />
      <Fact name={text.size}>{sizeOf(example)}</Fact>
      <Fact name={text.index}>{formatCount(example.pool_index)}</Fact>
      {example.location !== null && <Fact name={text.location}>{example.location}</Fact>}
      {example.import_id !== null && <Fact name={text.imported}>{example.import_id}</Fact>}
    </dl>
  );
}

/** What stands of an example without a label: that it shows none of the classes, say. */
const verdictOf = (project: Project, { state }: ExampleDetail): string =>
  state === "ood" || state === "unsure" ? stateNames(project)[state] : text.noLabel;

/** In pixels, where it has any, and in bytes. */
const sizeOf = ({ width, height, bytes }: ExampleDetail): string =>
  width === null || height === null
    ? formatBytes(bytes)
    : text.sizeOf(width, height, formatBytes(bytes));

/** A class, or that the image is likely OOD, and how sure that is. */
function Prediction({ project, example }: FactsProps) {
  const predicted = project.classes.find((one) => one.id === example.predicted_class_id);
  if (!predicted) return text.noPrediction;
  const sure = formatChance(example.confidence, 1);
  if (isLikelyOod(example.in_probability)) {
    const inside = formatChance(example.in_probability, 1);
    const [likely, of] = traitsOf(project).emptyLabel
      ? [t.boxes.likelyNone, t.boxes.inside]
      : [text.likelyOod, text.inside];
    return (
      <>
        {likely}
        <small>{of(inside, predicted.name, sure)}</small>
      </>
    );
  }
  return (
    <>
      {predicted.name}
      <small>{text.sure(sure)}</small>
    </>
  );
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type ScoreProps = {
  of: "purity" | "informativeness" | "strategy_score";
  name: string;
  value: number | null;
};

function Score({ of, name, value }: ScoreProps) {
  if (value === null) return null;
  return <Fact name={<Term of={of}>{name}</Term>}>{value.toPrecision(3)}</Fact>;
}

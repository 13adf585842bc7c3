import { type ReactNode, useId, useState } from "react";
import { parametersOf } from "../../api/algorithms";
import type { Algorithm, AlgorithmKind, Choice } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { DocumentationLink } from "../../ui/DocumentationLink";
import { ParamsForm } from "../../ui/ParamsForm";
import { useWeightsOf } from "../../ui/useWeightsOf";
import { Needs } from "./AlgorithmFacts";
import styles from "./AlgorithmField.module.css";
import { AlgorithmPicker } from "./AlgorithmPicker";

type AlgorithmFieldProps = {
  kind: AlgorithmKind;
  algorithms: Algorithm[];
  choice: Choice;
  note: string | null;
  onChange: (choice: Choice) => void;
  /** What the choice asks for. */
  children?: ReactNode;
};

/** The algorithm in effect, explained, with its parameters; another is chosen in a dialog. */
export function AlgorithmField(props: AlgorithmFieldProps) {
  const { kind, algorithms, choice, note, onChange, children } = props;
  const [isPicking, setPicking] = useState(false);
  const titleId = useId();
  const chosen = algorithms.find((algorithm) => algorithm.name === choice.name);
  const standIn = algorithms.find((algorithm) => algorithm.name === chosen?.fallback)?.title;
  const choose = (algorithm: Algorithm) => {
    setPicking(false);
    // Choosing what is chosen must not reset its parameters.
    if (algorithm.name !== choice.name) {
      onChange({ name: algorithm.name, params: algorithm.defaults });
    }
  };
  return (
    <section className={styles.field} aria-labelledby={titleId}>
      <div className={styles.kind}>
        <h3 id={titleId}>{t.setup.kinds[kind]}</h3>
        <p>{t.setup.kindHints[kind]}</p>
      </div>
      <div className={styles.choice}>
        <div className={styles.title}>
          <strong>{chosen?.title ?? choice.name}</strong>
          {chosen?.group === "recommended" && <Chip>{t.setup.groups.recommended.title}</Chip>}
          {chosen && <DocumentationLink algorithm={chosen} />}
        </div>
        {chosen && <p className={styles.summary}>{chosen.summary}</p>}
        {chosen && <Needs algorithm={chosen} standIn={standIn} />}
        {note && <p className={styles.note}>{note}</p>}
      </div>
      <Button
        className={styles.change}
        aria-label={t.setup.changeOf(t.setup.kinds[kind])}
        onClick={() => setPicking(true)}
      >
        {t.setup.change}
      </Button>
      <div className={styles.more}>
        {children}
        {chosen && <Parameters algorithm={chosen} choice={choice} onChange={onChange} />}
      </div>
      {isPicking && (
        <AlgorithmPicker
          kind={kind}
          algorithms={algorithms}
          current={choice.name}
          onChoose={choose}
          onClose={() => setPicking(false)}
        />
      )}
    </section>
  );
}

type ParametersProps = {
  algorithm: Algorithm;
  choice: Choice;
  onChange: (choice: Choice) => void;
};

function Parameters({ algorithm: given, choice, onChange }: ParametersProps) {
  const [algorithm, fitting] = useWeightsOf(given, choice.params);
  const hasParams = Object.keys(parametersOf(algorithm)).length > 0;
  if (!hasParams && !algorithm.paper) return null;
  return (
    <details className={styles.parameters}>
      <summary>{hasParams ? t.setup.parameters : t.setup.paper}</summary>
      {hasParams && (
        <ParamsForm
          key={algorithm.name}
          algorithm={algorithm}
          params={choice.params}
          onChange={(params) => onChange({ ...choice, params: fitting(params) })}
        />
      )}
      {algorithm.paper && (
        <p className={styles.paper}>
          {hasParams && `${t.setup.paper}: `}
          {algorithm.paper}
        </p>
      )}
    </details>
  );
}

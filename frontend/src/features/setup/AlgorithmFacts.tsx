import type { Algorithm } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import styles from "./AlgorithmFacts.module.css";
import { hasToWait, needsOf } from "./needs";

type NeedsProps = {
  id?: string;
  algorithm: Algorithm;
  /** Title of what stands in until there is what this one needs. */
  standIn: string | undefined;
};

/** What an algorithm uses and needs, and what stands in for it. */
export function Needs({ id, algorithm, standIn }: NeedsProps) {
  const needs = needsOf(algorithm);
  if (needs.length === 0) return null;
  return (
    <div id={id} className={styles.needs}>
      {needs.map(({ text, tone }) => (
        <Chip key={text} tone={tone}>
          {text}
        </Chip>
      ))}
      {standIn && hasToWait(algorithm) && <span>{t.setup.standIn(standIn)}</span>}
    </div>
  );
}

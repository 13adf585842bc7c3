import type { Project } from "../../api/types";
import { useManages } from "../../ui/managing";
import { DrawsCard } from "./DrawsCard";
import styles from "./Guarantee.module.css";
import { StartCard } from "./StartCard";

/** What the overview tells of a finished pool: how right the model is, and labels with a promise. */
export function GuaranteeCards({ project }: { project: Project }) {
  // Whoever reviews sees how right the model is; promises are the manager's.
  const manages = useManages();
  return (
    <div className={styles.pair}>
      <DrawsCard project={project} />
      {manages && <StartCard project={project} />}
    </div>
  );
}

import type { Project } from "../../api/types";
import { DrawsCard } from "./DrawsCard";
import styles from "./Guarantee.module.css";
import { StartCard } from "./StartCard";

/** What the overview tells of a finished pool: how right the model is, and labels with a promise. */
export function GuaranteeCards({ project }: { project: Project }) {
  return (
    <div className={styles.pair}>
      <DrawsCard project={project} />
      <StartCard project={project} />
    </div>
  );
}

import { useEffect } from "react";
import { listenToProject } from "../../../api/events";
import type { Review } from "../../../api/types";
import { t } from "../../../strings";
import { ButtonLink } from "../../../ui/Button";
import { Empty } from "../../../ui/State";
import styles from "./ReviewScreen.module.css";
import type { Kind } from "./votes";

type DoneProps = {
  projectId: number;
  back: string;
  kind: Kind;
  review: Review | null;
  /** Whether the user may settle disagreements of their own. */
  manages: boolean;
  onNews: () => void;
};

/** Why there is nothing to decide on now. */
export function Done({ projectId, back, kind, review, manages, onNews }: DoneProps) {
  const words = t.review[kind];
  const { open, total, decided } = review ?? { open: 0, total: 0, decided: {} };
  useEffect(
    () => listenToProject(projectId, (event) => event === "review" && onNews()),
    [projectId, onNews],
  );
  return (
    <div className={styles.done} role="status">
      <Empty
        title={open > 0 ? words.leftTitle(manages) : words.doneTitle(total)}
        actions={<ButtonLink to={back}>{t.review.back}</ButtonLink>}
      >
        {open > 0 ? words.leftText(open, manages) : review && words.doneText(total, decided)}
      </Empty>
    </div>
  );
}

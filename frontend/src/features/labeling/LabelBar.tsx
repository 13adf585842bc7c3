import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { reviewPath, reviewsQuery } from "../../api/reviews";
import type { LabelStatus } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { formatCount } from "../../ui/format";
import { FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { SpentMeter } from "../../ui/Meter";
import styles from "./LabelBar.module.css";
import type { SessionView } from "./queue/session";

type LabelBarProps = {
  project: { id: number; name: string };
  /** Where the project's name leads, for those who may see more of it. */
  projectLink: string | null;
  status: LabelStatus | null;
  mine: SessionView["mine"];
  onGuide: () => void;
  onPause: () => void;
  onHelp: () => void;
  /** Further controls of the page. */
  children?: ReactNode;
};

export function LabelBar(props: LabelBarProps) {
  const { project, projectLink, status, mine, children, ...actions } = props;
  const round = status?.round;
  const reviews = useQuery(reviewsQuery(project.id)).data?.items ?? [];
  // An annotator's first page tells how many disagreements are not their own; nobody else needs to.
  const review = reviews.find((one) => one.open > 0 && (one.job_id !== null || projectLink));
  return (
    <div className={styles.bar}>
      <div className={styles.heading}>
        <h1 className={styles.title}>
          {projectLink ? <Link to={projectLink}>{project.name}</Link> : project.name}
        </h1>
        {review && (
          <Link className={styles.review} to={reviewPath(project.id, review.job_id)}>
            {t.review[review.job_id === null ? "disagreements" : "suggestions"].waiting(
              review.open,
            )}
          </Link>
        )}
      </div>
      <div className={styles.progress}>
        {round && <SpentMeter label={t.projects.round(round.number)} round={round} />}
      </div>
      <dl className={styles.counts}>
        <div>
          <dt>{t.label.today}</dt>
          <dd>{mine ? formatCount(mine.today) : "–"}</dd>
        </div>
        <div>
          <dt>{t.label.total}</dt>
          <dd>{mine ? formatCount(mine.total) : "–"}</dd>
        </div>
      </dl>
      <div className={styles.actions}>
        {children}
        <Action name={t.label.guide.open} hotkey={FIXED_KEYS.guide} onClick={actions.onGuide} />
        <Action name={t.label.pause.open} hotkey={FIXED_KEYS.pause} onClick={actions.onPause} />
        <Action name={t.label.help} hotkey={FIXED_KEYS.help} onClick={actions.onHelp} />
      </div>
    </div>
  );
}

function Action({ name, hotkey, onClick }: { name: string; hotkey: string; onClick: () => void }) {
  return (
    <Button kind="quiet" size="small" aria-keyshortcuts={hotkey} onClick={onClick}>
      {name}
      <Kbd decorative>{keyLabel(hotkey)}</Kbd>
    </Button>
  );
}

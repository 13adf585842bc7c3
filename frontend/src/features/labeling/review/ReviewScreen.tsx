import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { listenToProject } from "../../../api/events";
import type { Decision, Project, Review, User } from "../../../api/types";
import { t } from "../../../strings";
import { ButtonLink } from "../../../ui/Button";
import { isElsewhere, keyOf } from "../../../ui/hotkeys";
import { Meter } from "../../../ui/Meter";
import { Empty, Failure, Loading, Notice, Skeleton } from "../../../ui/State";
import { Between } from "../Between";
import desk from "../LabelScreen.module.css";
import type { AnswerSender } from "../queue/sender";
import { useSender } from "../SenderProvider";
import { Stage } from "../Stage";
import { useSmooth } from "../useSmooth";
import { DecisionPanel } from "./DecisionPanel";
import { reviewCommandFor } from "./decisions";
import styles from "./ReviewScreen.module.css";
import { Spoken } from "./Spoken";
import { type Reviewing, useReviewQueue } from "./useReviewQueue";

const { review: text } = t;

type ReviewScreenProps = {
  project: Project;
  user: User;
  jobId: number;
  /** Where one goes from here: the job's result, or the label page for those who see no jobs. */
  back: string;
};

export function ReviewScreen({ project, user, jobId, back }: ReviewScreenProps) {
  const sender = useSender();
  const reviewing = useReviewQueue({ projectId: project.id, jobId, userId: user.id, sender });
  if (!sender || !reviewing) {
    return (
      <div className={desk.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return <Desk project={project} back={back} reviewing={reviewing} sender={sender} />;
}

type DeskProps = { project: Project; back: string; reviewing: Reviewing; sender: AnswerSender };

function Desk({ project, back, reviewing, sender }: DeskProps) {
  const { queue, images, stopwatch } = reviewing;
  const view = useSyncExternalStore(queue.subscribe, queue.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  useSyncExternalStore(images.subscribe, images.getVersion);
  const [flashed, setFlashed] = useState<Decision | null>(null);
  const [smooth, setSmooth] = useSmooth();
  const { current, history } = view;

  const decide = useCallback(
    async (decision: Decision) => {
      if (await queue.decide(decision)) setFlashed(decision);
    },
    [queue],
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || isElsewhere(event)) return;
      const key = keyOf(event);
      // Enter on a focused button or link is that button's.
      if (key === "enter" && (event.target as Element).closest("a, button")) return;
      const command = reviewCommandFor(key);
      if (!command) return;
      event.preventDefault();
      if (command.do === "decide") void decide(command.decision);
      else if (command.do === "undo") queue.undo();
      else if (command.do === "stay") queue.keep();
      else setSmooth((value) => !value);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [decide, queue, setSmooth]);

  useEffect(() => {
    if (!flashed) return;
    const timer = setTimeout(() => setFlashed(null), 320);
    return () => clearTimeout(timer);
  }, [flashed]);

  const retry = () => {
    sender.wake();
    queue.wake();
  };
  return (
    <div className={desk.desk}>
      <ReviewBar project={project} back={back} review={view.review} />
      <div className={desk.work}>
        <div className={desk.stage}>
          {current && (
            <Stage
              subject={{ ...current, query_id: current.id }}
              prepared={images.get(current.image_url)}
              smooth={smooth}
              onSmooth={setSmooth}
              onShown={() => stopwatch.start()}
              onRetry={() => images.retry(current.image_url)}
            />
          )}
          {view.phase === "loading" && <Between sending={sending} />}
          {view.phase === "waiting" && (
            <Done projectId={project.id} back={back} review={view.review} onNews={queue.wake} />
          )}
          {view.phase === "failed" && view.error && <Failure error={view.error} onRetry={retry} />}
        </div>
        <aside className={desk.side}>
          <Spoken
            current={current}
            previous={history.at(-1)?.decision ?? null}
            classes={project.classes}
          />
          <DecisionPanel
            suggestion={current}
            classes={project.classes}
            flashed={flashed}
            canUndo={history.length > 0}
            onDecide={decide}
            onUndo={() => queue.undo()}
          />
          <div className={styles.notes}>
            {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
            {view.late > 0 && <Notice tone="gold">{text.late(view.late)}</Notice>}
            <p className={styles.hint}>{text.hint}</p>
          </div>
        </aside>
      </div>
    </div>
  );
}

type ReviewBarProps = { project: Project; back: string; review: Review | null };

function ReviewBar({ project, back, review }: ReviewBarProps) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.title}>
        {text.title} <Link to={back}>{project.name}</Link>
      </h1>
      {review && (
        <Meter
          label={text.progress}
          value={review.total - review.open}
          max={review.total}
          text={text.of(review.total - review.open, review.total)}
        />
      )}
    </div>
  );
}

type DoneProps = { projectId: number; back: string; review: Review | null; onNews: () => void };

function Done({ projectId, back, review, onNews }: DoneProps) {
  const left = review?.open ?? 0;
  useEffect(
    () => listenToProject(projectId, (kind) => kind === "review" && onNews()),
    [projectId, onNews],
  );
  return (
    <div className={styles.done} role="status">
      <Empty
        title={left > 0 ? text.othersTitle : text.doneTitle}
        actions={<ButtonLink to={back}>{text.back}</ButtonLink>}
      >
        {left > 0 ? text.othersText(left) : review && text.doneText(review.decided)}
      </Empty>
    </div>
  );
}

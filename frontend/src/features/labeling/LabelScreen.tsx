import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Project, User } from "../../api/types";
import { t } from "../../strings";
import { isElsewhere, keyOf } from "../../ui/hotkeys";
import { Failure, Loading, Notice, Skeleton } from "../../ui/State";
import { Between } from "./Between";
import { HelpDialog } from "./HelpDialog";
import { LabelBar } from "./LabelBar";
import styles from "./LabelScreen.module.css";
import { ModeSwitch } from "./ModeSwitch";
import { markKey } from "./measure";
import type { AnswerSender } from "./queue/sender";
import { useSender } from "./SenderProvider";
import { Stage } from "./Stage";
import { type Labeling, useLabelSession } from "./useLabelSession";
import { useSmooth } from "./useSmooth";
import { VerdictPanel } from "./VerdictPanel";
import { type Choice, commandFor, nameOf } from "./verdicts";
import { Waiting } from "./Waiting";

type LabelScreenProps = { project: Project; user: User; projectLink: string | null };

export function LabelScreen({ project, user, projectLink }: LabelScreenProps) {
  const sender = useSender();
  const labeling = useLabelSession({ projectId: project.id, userId: user.id, sender });
  if (!sender || !labeling) {
    return (
      <div className={styles.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return (
    <Desk
      project={project}
      user={user}
      projectLink={projectLink}
      labeling={labeling}
      sender={sender}
    />
  );
}

type DeskProps = {
  project: Project;
  user: User;
  projectLink: string | null;
  labeling: Labeling;
  sender: AnswerSender;
};

function Desk({ project, user, projectLink, labeling, sender }: DeskProps) {
  const { session, images, stopwatch } = labeling;
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  useSyncExternalStore(images.subscribe, images.getVersion);
  const [flashed, setFlashed] = useState<Choice | null>(null);
  const [smooth, setSmooth] = useSmooth();
  const [help, setHelp] = useState(false);
  const { classes } = project;
  const { current, history } = view;

  const answer = useCallback(
    async (choice: Choice) => {
      markKey();
      if (await session.answer(choice.verdict, choice.classId)) setFlashed({ ...choice });
    },
    [session],
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || isElsewhere(event)) return;
      const key = keyOf(event);
      // Enter on a focused button or link is that button's.
      if (key === "enter" && (event.target as Element).closest("a, button")) return;
      const command = commandFor(key, classes);
      if (!command) return;
      event.preventDefault();
      if (command.do === "answer") void answer(command.choice);
      else if (command.do === "undo") session.undo();
      else if (command.do === "keep") session.keep();
      else if (command.do === "smooth") setSmooth((value) => !value);
      else setHelp(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [answer, classes, session, setSmooth]);

  useEffect(() => {
    if (!flashed) return;
    const timer = setTimeout(() => setFlashed(null), 320);
    return () => clearTimeout(timer);
  }, [flashed]);

  const previous = history.at(-1)?.given ?? null;
  return (
    <div className={styles.desk}>
      <LabelBar
        project={project}
        projectLink={projectLink}
        status={view.status}
        mine={view.mine}
        onHelp={() => setHelp(true)}
      >
        <ModeSwitch project={project} user={user} mode="single" />
      </LabelBar>
      <div className={styles.work}>
        <div className={styles.stage}>
          {current && (
            <Stage
              subject={current.subject}
              prepared={images.get(current.subject.image_url)}
              smooth={smooth}
              onSmooth={setSmooth}
              onShown={() => stopwatch.start()}
              onRetry={() => images.retry(current.subject.image_url)}
            />
          )}
          {view.phase === "loading" && !current && <Between sending={sending} />}
          {view.phase === "waiting" && (
            <Waiting
              projectId={project.id}
              status={view.status}
              canUndo={history.length > 0}
              onUndo={() => session.undo()}
              onNews={session.wake}
            />
          )}
          {view.phase === "failed" && view.error && (
            <Failure error={view.error} onRetry={() => session.wake()} />
          )}
        </div>
        <aside className={styles.side}>
          <p className={styles.last} aria-live="polite">
            {current?.given
              ? t.label.before(nameOf(current.given, classes))
              : previous && t.label.last(nameOf(previous, classes))}
            {current?.given && <small>{t.label.beforeHint}</small>}
          </p>
          <VerdictPanel
            classes={classes}
            given={current?.given ?? null}
            flashed={flashed}
            disabled={!current}
            canUndo={history.length > 0}
            onAnswer={answer}
            onUndo={() => session.undo()}
          />
          {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
          {project.guidelines && <Guidelines text={project.guidelines} />}
        </aside>
      </div>
      {help && (
        <HelpDialog
          classes={classes}
          guidelines={project.guidelines}
          onClose={() => setHelp(false)}
        />
      )}
    </div>
  );
}

function Guidelines({ text }: { text: string }) {
  return (
    <details className={styles.guidelines} open>
      <summary>{t.label.guidelines}</summary>
      <p>{text}</p>
    </details>
  );
}

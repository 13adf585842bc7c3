import { type ReactNode, useCallback, useRef, useState, useSyncExternalStore } from "react";
import { isNotFound } from "../../../api/errors";
import type { Project, ReviewedJob, Suggestion, User } from "../../../api/types";
import { useAlternate } from "../../../media/useAlternate";
import { t } from "../../../strings";
import { taskViewOf } from "../../../tasks/registry";
import type { Work } from "../../../tasks/spec";
import type { KeyDialogOf } from "../../../ui/hotkeys";
import { keyDialog } from "../../../ui/keyDialog";
import { Loading, Notice, Skeleton } from "../../../ui/State";
import { Between } from "../Between";
import desk from "../LabelScreen.module.css";
import { PauseCover } from "../PauseCover";
import type { AnswerSender } from "../queue/sender";
import { useSender } from "../SenderProvider";
import { useFlash } from "../useFlash";
import { usePrepared } from "../usePrepared";
import { useShownClasses } from "../useShownClasses";
import { useWorkInHand } from "../useWorkInHand";
import { BoxDecisions } from "./BoxDecisions";
import { type Choice, choiceOf, isOpen } from "./choices";
import { DecisionPanel } from "./DecisionPanel";
import { Done } from "./Done";
import type { ReviewCommand } from "./decisions";
import { EstimateOf } from "./EstimateOf";
import { GroupDesk } from "./GroupDesk";
import { Notes } from "./Notes";
import { RankingDecisions } from "./RankingDecisions";
import { type Mode, ReviewBar } from "./ReviewBar";
import styles from "./ReviewScreen.module.css";
import { Spoken } from "./Spoken";
import { useReviewKeys } from "./useReviewKeys";
import { useReviewNote } from "./useReviewNote";
import { type Reviewing, useReviewQueue } from "./useReviewQueue";
import { useReviewWork } from "./useReviewWork";
import { kindOf } from "./votes";

const ReviewHelp = keyDialog(() => import("./ReviewHelp").then((m) => m.ReviewHelp));
const FindDialog = keyDialog(() => import("../../../tasks/FindDialog").then((m) => m.FindDialog));

const { review: text } = t;

/** Labels that are more than one class are decided on by panels of their own. */
const OF_TASK: Partial<Record<string, typeof DecisionPanel>> = {
  boxes: BoxDecisions,
  instructions: RankingDecisions,
};

const itself = (suggestion: Suggestion) => suggestion;

type Place = {
  project: Project;
  /** Whether the user manages the project. */
  manages: boolean;
  /** Where one goes from here: a page about the project, or the label page for those who see none. */
  back: string;
  /** What is shown where there is no such review. */
  missing: ReactNode;
};

type ReviewScreenProps = Place & { user: User; jobId: ReviewedJob };

export function ReviewScreen(props: ReviewScreenProps) {
  const [mode, setMode] = useState<Mode>("single");
  const sender = useSender();
  if (mode === "single" || !sender) return <OneByOne {...props} onMode={setMode} />;
  const { project, jobId, user, back, missing } = props;
  return (
    <GroupDesk
      project={project}
      jobId={jobId}
      userId={user.id}
      back={back}
      missing={missing}
      sender={sender}
      onMode={setMode}
    />
  );
}

type OneByOneProps = ReviewScreenProps & { onMode: (mode: Mode) => void };

function OneByOne({ user, jobId, ...place }: OneByOneProps) {
  const sender = useSender();
  const reviewing = useReviewQueue({
    projectId: place.project.id,
    medium: place.project.medium,
    jobId,
    userId: user.id,
    sender,
  });
  if (!sender || !reviewing) {
    return (
      <div className={desk.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return <Desk {...place} user={user} jobId={jobId} reviewing={reviewing} sender={sender} />;
}

type DeskProps = Place & {
  user: User;
  jobId: ReviewedJob;
  reviewing: Reviewing;
  sender: AnswerSender;
  onMode: (mode: Mode) => void;
};

function Desk(props: DeskProps) {
  const { project, manages, back, missing, user, jobId, reviewing, sender, onMode } = props;
  const kind = kindOf(jobId);
  const { queue, ahead, stopwatch } = reviewing;
  const task = taskViewOf(project);
  const view = useSyncExternalStore(queue.subscribe, queue.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  const [flashed, flash] = useFlash<Choice>();
  const [dialog, setDialog] = useState<KeyDialogOf<"review"> | null>(null);
  const [alternate, setAlternate] = useAlternate(project.medium);
  const { current, history, paused } = view;
  const { classes } = project;
  const ofTask = OF_TASK[project.task];
  const Decisions = ofTask ?? DecisionPanel;
  const shownAt = useShownClasses(project, view.classesVersion);

  const [prepared, readPrepared] = usePrepared(queue, ahead, itself);
  const working = useRef<Work>(null);
  const decide = useCallback(
    async (choice: Choice, version = shownAt(performance.now()).version) => {
      if (!isOpen(choice, readPrepared())) return;
      const work = working.current;
      if (await queue.decide(choice.decision, choice.classId, version, choice.label)) {
        work?.settled(choice.label);
        flash({ ...choice });
      }
    },
    [queue, shownAt, flash, readPrepared],
  );
  const { note, stay } = useReviewNote({ queue, userId: user.id, current, decide });
  const obey = (command: ReviewCommand, version?: number) => {
    if (command.do === "decide") void decide(command.choice, version);
    else if (command.do === "name") {
      // Of a label that is more than one class a single one says nothing.
      if (ofTask && command.label !== null) return;
      void decide(choiceOf(command.label, queue.getView().current), version);
    } else if (command.do === "undo") queue.undo();
    else if (command.do === "stay") stay();
    else if (command.do === "note") note.open();
    else if (command.do === "alternate") setAlternate((value) => !value);
    else setDialog(command.do);
  };
  const work = useReviewWork({ project, userId: user.id, task, current, decide });
  working.current = work;
  useWorkInHand(queue, working);
  useReviewKeys(shownAt, obey);

  const closeDialog = useCallback(() => setDialog(null), []);
  const resume = useCallback(() => queue.resume(), [queue]);
  const retry = () => {
    sender.wake();
    queue.wake();
  };
  if (view.phase === "failed" && isNotFound(view.error)) return missing;
  return (
    <div className={desk.desk}>
      <ReviewBar
        project={project}
        back={back}
        kind={kind}
        review={view.review}
        mode="single"
        onMode={onMode}
        onHelp={() => setDialog("help")}
      />
      <div className={desk.work}>
        <div className={desk.stage}>
          {current && (
            <task.Stage
              medium={project.medium}
              subject={{ ...current, query_id: current.id }}
              classes={project.classes}
              work={work}
              ahead={ahead}
              alternate={alternate}
              onAlternate={setAlternate}
              covered={paused !== null}
              onShown={() => stopwatch.start()}
            />
          )}
          <Between view={view} sending={sending} onRetry={retry} />
          {view.phase === "waiting" && (
            <Done
              projectId={project.id}
              back={back}
              kind={kind}
              review={view.review}
              manages={manages}
              onNews={queue.wake}
            />
          )}
          {paused && <PauseCover why={paused} stopwatch={stopwatch} onResume={resume} />}
        </div>
        <aside className={desk.side}>
          <Notes project={project} current={current} note={note}>
            {!ofTask && (
              <Spoken
                current={current}
                previous={history.at(-1) ?? null}
                classes={classes}
                kind={kind}
              />
            )}
          </Notes>
          <Decisions
            work={work}
            suggestion={current}
            prepared={prepared}
            classes={classes}
            kind={kind}
            flashed={flashed}
            canUndo={history.length > 0}
            onDecide={decide}
            onUndo={() => queue.undo()}
            onFind={() => setDialog("find")}
          />
          <div className={styles.notes}>
            {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
            {view.late > 0 && <Notice tone="gold">{text.late(view.late)}</Notice>}
            <EstimateOf projectId={project.id} review={view.review} />
            <p className={styles.hint}>{text[kind].hint}</p>
          </div>
        </aside>
      </div>
      {dialog === "help" && <ReviewHelp project={project} onClose={closeDialog} />}
      {dialog === "find" && (
        <FindDialog
          classes={classes}
          onChoose={(classId) => {
            if (task.choose(classId, work)) obey({ do: "name", label: classId });
          }}
          onClose={closeDialog}
        />
      )}
    </div>
  );
}

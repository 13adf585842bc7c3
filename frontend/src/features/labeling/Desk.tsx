import { lazy, Suspense, useCallback, useRef, useState, useSyncExternalStore } from "react";
import type { LabelClass, Project, User } from "../../api/types";
import { useAlternate } from "../../media/useAlternate";
import { t } from "../../strings";
import { type Choice, LABELED } from "../../tasks/choice";
import { draftName } from "../../tasks/drafts";
import { taskViewOf } from "../../tasks/registry";
import type { SuggestedClass, Work } from "../../tasks/spec";
import { useNote } from "../../tasks/useNote";
import type { KeyDialogOf } from "../../ui/hotkeys";
import { keyDialog } from "../../ui/keyDialog";
import { markKey } from "../../ui/measure";
import { FailureNotice } from "../../ui/RoundFailure";
import { Notice } from "../../ui/State";
import { Beside } from "./Beside";
import { Between } from "./Between";
import { LabelBar } from "./LabelBar";
import styles from "./LabelScreen.module.css";
import { ModeSwitch } from "./ModeSwitch";
import { PauseCover } from "./PauseCover";
import type { Entry, Given } from "./queue/model";
import type { AnswerSender } from "./queue/sender";
import { ShownFields } from "./ShownFields";
import { Strip } from "./Strip";
import { useDeskKeys } from "./useDeskKeys";
import { useFlash } from "./useFlash";
import { useGuide } from "./useGuide";
import type { Labeling } from "./useLabelSession";
import { usePrepared } from "./usePrepared";
import { useShownClasses } from "./useShownClasses";
import { useWorkInHand } from "./useWorkInHand";
import { Waiting } from "./Waiting";

const GuidePanel = lazy(() => import("./GuidePanel").then((m) => ({ default: m.GuidePanel })));
const HelpDialog = keyDialog(() => import("./HelpDialog").then((m) => m.HelpDialog));
const FindDialog = keyDialog(() => import("../../tasks/FindDialog").then((m) => m.FindDialog));

const subjectOf = ({ subject }: Entry) => subject;

const choiceOf = ({ verdict, classId, label }: Given): Choice => ({
  verdict,
  classId,
  ...(label && { label }),
});
/** What a model suggests whose predictions were imported, as long as nobody has said anything. */
function suggestedOf(entry: Entry | null, classes: LabelClass[]): SuggestedClass | null {
  const { suggested, proposed_by: model } = entry?.subject ?? {};
  if (!suggested || !model || entry?.given) return null;
  const { class_id: classId, score } = suggested;
  const name = classes.find((one) => one.id === classId)?.name;
  return name === undefined ? null : { classId, name, score, model };
}

type DeskProps = {
  project: Project;
  user: User;
  projectLink: string | null;
  labeling: Labeling;
  sender: AnswerSender;
};

/** One example, what can be said of it, and the verdicts before. */
export function Desk({ project, user, projectLink, labeling, sender }: DeskProps) {
  const { session, ahead, stopwatch } = labeling;
  const task = taskViewOf(project);
  const { Stage, Panel } = task;
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  const [flashed, flash] = useFlash<Choice>();
  const [alternate, setAlternate] = useAlternate(project.medium);
  const [dialog, setDialog] = useState<KeyDialogOf<"label"> | null>(null);
  const [guide, toggleGuide, closeGuide] = useGuide();
  const { classes } = project;
  const { current, history, paused } = view;
  const shownAt = useShownClasses(project, view.status?.classes_version);

  const [prepared, readPrepared] = usePrepared(session, ahead, subjectOf);
  const working = useRef<Work>(null);
  const answer = useCallback(
    async (choice: Choice) => {
      // What nobody sees yet can be put off, and nothing else be said of it.
      if (choice.verdict !== "skip" && readPrepared() !== "ready") return;
      markKey();
      const version = choice.classesVersion ?? shownAt(performance.now()).version;
      const work = working.current;
      if (await session.answer(choice.verdict, choice.classId, version, choice.label)) {
        // What is put off is gone on with where it was left.
        if (choice.verdict !== "skip") work?.settled(choice.label);
        flash({ ...choice });
      }
    },
    [session, flash, shownAt, readPrepared],
  );
  const name = current && draftName(user.id, current.subject.query_id);
  const note = useNote(name, current?.given?.note ?? null);
  const onPage = (what: "alternate" | "pause" | "guide" | "note" | KeyDialogOf<"label">) => {
    if (what === "alternate") setAlternate((value) => !value);
    else if (what === "pause") session.pause("asked");
    else if (what === "guide") toggleGuide();
    else if (what === "note") note.open();
    else setDialog(what);
  };
  const work = task.useWork({ projectId: project.id, userId: user.id, classes, current, answer });
  working.current = work;
  useWorkInHand(session, working);
  const suggested = suggestedOf(current, classes);
  const keep = (classesVersion: number) => {
    // A note that was changed is sent with the verdict that stands.
    if (note.isChanged && current?.given) void answer(choiceOf(current.given));
    else if (!suggested) session.keep();
    else void answer({ verdict: LABELED, classId: suggested.classId, classesVersion });
  };
  useDeskKeys({ session, task, shownAt, answer, keep, onPage });

  const open = useCallback((queryId: number) => session.revisit(queryId), [session]);
  const resume = useCallback(() => session.resume(), [session]);
  return (
    <div className={styles.desk}>
      <LabelBar
        project={project}
        projectLink={projectLink}
        status={view.status}
        mine={view.mine}
        onGuide={toggleGuide}
        onPause={() => session.pause("asked")}
        onHelp={() => setDialog("help")}
      >
        <ModeSwitch project={project} user={user} mode="single" />
      </LabelBar>
      <div className={styles.work} data-guide={guide || undefined}>
        {guide && (
          <Suspense fallback={null}>
            <GuidePanel
              project={project}
              exampleId={current?.subject.example_id ?? null}
              onClose={closeGuide}
            />
          </Suspense>
        )}
        <div className={styles.centre}>
          {paused === null && (
            <ShownFields key={current?.subject.query_id} fields={current?.subject.fields} />
          )}
          <div className={styles.stage}>
            {current && (
              <Stage
                medium={project.medium}
                subject={current.subject}
                classes={classes}
                work={work}
                ahead={ahead}
                alternate={alternate}
                onAlternate={setAlternate}
                covered={paused !== null}
                onShown={() => stopwatch.start()}
              />
            )}
            <Between view={view} sending={sending} onRetry={session.wake} />
            {view.phase === "waiting" && (
              <Waiting
                projectId={project.id}
                task={project.task}
                status={view.status}
                elsewhere={view.elsewhere}
                onTakeOver={session.takeOver}
                canUndo={history.length > 0}
                onUndo={() => session.undo()}
                onNews={session.wake}
              />
            )}
            {paused && (
              <PauseCover
                why={paused}
                isWorkedAt={work?.isChanged}
                stopwatch={stopwatch}
                onResume={resume}
              />
            )}
          </div>
          <Strip
            trail={view.trail}
            openId={current?.given ? current.subject.query_id : null}
            task={task}
            userId={user.id}
            classes={classes}
            onOpen={open}
          />
        </div>
        <aside className={styles.side}>
          <Beside
            project={project}
            task={task}
            current={current}
            previous={history.at(-1)?.given ?? null}
            work={work}
            note={note}
          />
          <Panel
            classes={classes}
            work={work}
            given={current?.given ?? null}
            flashed={flashed}
            disabled={!current}
            unseen={prepared !== "ready"}
            canUndo={history.length > 0}
            suggested={suggested}
            onAnswer={answer}
            onUndo={() => session.undo()}
            onFind={() => setDialog("find")}
          />
          {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
          {view.phase !== "waiting" && <FailureNotice project={project} />}
          {project.guidelines && !guide && <Guidelines text={project.guidelines} />}
        </aside>
      </div>
      {dialog === "help" && (
        <HelpDialog
          classes={classes}
          task={project.task}
          medium={project.medium}
          guidelines={project.guidelines}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "find" && (
        <FindDialog
          classes={classes}
          onChoose={(classId) => {
            const choice = task.choose(classId, work);
            if (choice) void answer(choice);
          }}
          onClose={() => setDialog(null)}
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

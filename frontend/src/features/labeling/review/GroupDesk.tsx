import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { isNotFound } from "../../../api/errors";
import type { Project, ReviewedJob } from "../../../api/types";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import type { KeyDialogOf } from "../../../ui/hotkeys";
import { keyDialog } from "../../../ui/keyDialog";
import { Empty, Loading, Notice, Skeleton } from "../../../ui/State";
import { Between } from "../Between";
import desk from "../LabelScreen.module.css";
import type { AnswerSender } from "../queue/sender";
import { useFlash } from "../useFlash";
import { useShownClasses } from "../useShownClasses";
import { type Choice, choiceOf, labelName } from "./choices";
import { DecisionPanel } from "./DecisionPanel";
import type { ReviewCommand } from "./decisions";
import { EstimateOf } from "./EstimateOf";
import { GroupTiles } from "./GroupTiles";
import { GroupQueue, isShown, omitted } from "./groupQueue";
import { type Mode, ReviewBar } from "./ReviewBar";
import styles from "./ReviewScreen.module.css";
import { useReviewKeys } from "./useReviewKeys";
import { kindOf } from "./votes";

const ReviewHelp = keyDialog(() => import("./ReviewHelp").then((m) => m.ReviewHelp));
const FindDialog = keyDialog(() => import("../../../tasks/FindDialog").then((m) => m.FindDialog));

const { review: text } = t;

type GroupDeskProps = {
  project: Project;
  jobId: ReviewedJob;
  userId: number;
  back: string;
  missing: ReactNode;
  sender: AnswerSender;
  onMode: (mode: Mode) => void;
};

/** Groups of suggestions that look alike, each decided on with one key. */
export function GroupDesk(props: GroupDeskProps) {
  const { project, jobId, userId, back, missing, sender, onMode } = props;
  const queue = useMemo(
    () => new GroupQueue({ projectId: project.id, jobId, userId, sender }),
    [project.id, jobId, userId, sender],
  );
  useEffect(() => queue.start(), [queue]);
  const view = useSyncExternalStore(queue.subscribe, queue.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  const [flashed, flash] = useFlash<Choice>();
  const [dialog, setDialog] = useState<KeyDialogOf<"review"> | null>(null);
  const shownAt = useShownClasses(project, view.classesVersion);
  const kind = kindOf(jobId);
  const { classes } = project;
  const first = view.group?.[0] ?? null;

  const decide = useCallback(
    async (choice: Choice, version = shownAt(performance.now()).version) => {
      if (await queue.decide(choice, version)) flash({ ...choice });
    },
    [queue, shownAt, flash],
  );
  const obey = useCallback(
    (command: ReviewCommand, version?: number) => {
      if (command.do === "decide") void decide(command.choice, version);
      else if (command.do === "name")
        void decide(choiceOf(command.label, queue.getView().group?.[0] ?? null), version);
      else if (command.do === "undo") void queue.undo();
      else if (command.do === "help" || command.do === "find") setDialog(command.do);
    },
    [decide, queue],
  );
  useReviewKeys(shownAt, obey);
  if (view.error && isNotFound(view.error)) return missing;
  const heading = first && [first.given_class_id, first.suggested_class_id];
  return (
    <div className={desk.desk}>
      <ReviewBar
        project={project}
        back={back}
        kind={kind}
        review={view.review}
        mode="groups"
        onMode={onMode}
        onHelp={() => setDialog("help")}
      />
      <div className={desk.work}>
        <div className={desk.stage}>
          {view.error ? (
            <Between
              view={{ phase: "failed", error: view.error }}
              sending={sending}
              onRetry={queue.load}
            />
          ) : view.group === null ? (
            <Loading>
              <Skeleton height="100%" />
            </Loading>
          ) : heading ? (
            <GroupTiles
              heading={text.alike.heading(
                labelName(heading[0] ?? null, classes),
                labelName(heading[1] ?? null, classes),
                view.group.length,
              )}
              group={view.group}
              out={omitted(view)}
              onToggle={(id) => queue.toggle(id)}
              onState={queue.hearOf}
            />
          ) : (
            <div className={styles.done} role="status">
              <Empty
                title={text.alike.none}
                actions={<Button onClick={() => onMode("single")}>{text.alike.oneByOne}</Button>}
              >
                {text.alike.noneText}
              </Empty>
            </div>
          )}
        </div>
        <aside className={desk.side}>
          <p className={desk.last} aria-live="polite">
            {view.last && lastOf(view.last, classes, kind)}
          </p>
          <DecisionPanel
            suggestion={first && { ...first, quality: null, votes: [], confidence: meanOf(view) }}
            prepared={isShown(view) ? "ready" : "loading"}
            classes={classes}
            kind={kind}
            flashed={flashed}
            canUndo={view.last !== null}
            onDecide={decide}
            onUndo={() => void queue.undo()}
            onFind={() => setDialog("find")}
          />
          <div className={styles.notes}>
            {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
            {view.late > 0 && <Notice tone="gold">{text.late(view.late)}</Notice>}
            <EstimateOf projectId={project.id} review={view.review} />
            <p className={styles.hint}>{text.alike.hint}</p>
          </div>
        </aside>
      </div>
      {dialog === "help" && <ReviewHelp project={project} onClose={() => setDialog(null)} />}
      {dialog === "find" && (
        <FindDialog
          classes={classes}
          onChoose={(classId) => obey({ do: "name", label: classId })}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}

type View = ReturnType<GroupQueue["getView"]>;

const meanOf = ({ group }: View): number =>
  (group ?? []).reduce((sum, { confidence }) => sum + confidence, 0) / (group?.length || 1);

function lastOf(
  { group, left, choice }: NonNullable<View["last"]>,
  classes: Project["classes"],
  kind: ReturnType<typeof kindOf>,
): string {
  const [first] = group;
  const { decision, classId } = choice;
  const labels = { keep: first?.given_class_id, accept: first?.suggested_class_id, other: classId };
  const label = decision === "ood" || decision === "unsure" ? null : (labels[decision] ?? null);
  const said = text[kind].decided[decision](labelName(label, classes));
  return text.alike.decided(group.length - left.size, said);
}

import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { meQuery } from "../../api/auth";
import type { ExampleDetail, Project } from "../../api/types";
import { imageView } from "../../media/image/view";
import { useAlternate } from "../../media/useAlternate";
import { t } from "../../strings";
import { arm } from "../../tasks/boxes/commands";
import { plainly } from "../../tasks/boxes/compare";
import { commandFor } from "../../tasks/boxes/keys";
import { Panel } from "../../tasks/boxes/Panel";
import { Stage } from "../../tasks/boxes/Stage";
import { useEditor } from "../../tasks/boxes/useEditor";
import { standing } from "../../tasks/byHand";
import type { Choice } from "../../tasks/choice";
import { Note } from "../../tasks/Note";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { askedBy, isControl, isElsewhere } from "../../ui/hotkeys";
import { keyDialog } from "../../ui/keyDialog";
import { askBeforeClosing } from "../../ui/leaving";
import { useKeyDown } from "../../ui/useKeyDown";
import styles from "./BoxDesk.module.css";
import { Faults } from "./Faults";
import { useNoted } from "./useNoted";
import type { Verdicts } from "./useVerdicts";

const FindDialog = keyDialog(() => import("../../tasks/FindDialog").then((m) => m.FindDialog));

const text = t.pool.byHand;
/** Leaving takes no time and cannot fail. */
const AT_ONCE = { isPending: false, error: null, reset: () => {} };
const noImages = () => {};

type BoxDeskProps = {
  project: Project;
  example: ExampleDetail;
  verdicts: Verdicts;
  onClose: () => void;
};

/** The editor of the label page over all else, with the boxes that an image has. */
export function BoxDesk({ project, example, verdicts, onClose }: BoxDeskProps) {
  const { data: me } = useQuery(meQuery);
  if (!me) return null;
  return createPortal(
    <Desk {...{ project, example, verdicts, onClose }} userId={me.id} />,
    document.body,
  );
}

function Desk(props: BoxDeskProps & { userId: number }) {
  const { project, example, verdicts, onClose, userId } = props;
  const { classes } = project;
  const [dialog, setDialog] = useState<"find" | "leave" | null>(null);
  const alone = useAlone();
  const [alternate, setAlternate] = useAlternate("image");
  const { id } = example;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is edited stays as it was found.
  const current = useMemo(() => {
    const stands = standing(example);
    const given = stands && { ...stands, ...plainly(stands) };
    return { subject: { ...example, example_id: id, query_id: id }, given };
  }, [id]);
  const { subject, given } = current;
  const [ahead] = useState(() => imageView.openAhead("stage"));
  useEffect(() => ahead.keep([subject]), [ahead, subject]);
  const isShown = useSyncExternalStore(
    ahead.subscribe,
    () => ahead.get(subject)?.state === "ready",
  );
  const isSending = verdicts.sending?.id === id;
  const { note, say } = useNoted(example, verdicts, userId);
  const answer = async (choice: Choice) => {
    if (!isShown || isSending || choice.verdict === "skip") return;
    if (!(await say(choice))) return;
    editor?.settled(choice.label);
    onClose();
  };
  const editor = useEditor({
    ...{ projectId: project.id, userId, classes, current, answer },
    desk: "pool",
  });
  const keep = () => {
    // A note that was changed is sent with the verdict that stands.
    if (note.isChanged && given) void answer(given);
    else onClose();
  };
  const leave = () => {
    if (editor?.isChanged) setDialog("leave");
    else onClose();
  };
  useEffect(() => askBeforeClosing(() => editor?.isChanged === true), [editor]);
  useKeyDown((event) => {
    if (event.repeat || event.defaultPrevented || isElsewhere(event)) return;
    if (event.key === "Enter" && isControl(event.target)) return;
    const command = askedBy(event, commandFor);
    if (event.key === "Escape") leave();
    else if (command?.do === "answer") void answer(command.choice);
    else if (command?.do === "keep") keep();
    else if (command?.do === "alternate") setAlternate((value) => !value);
    else if (command?.do === "find") setDialog("find");
    else if (command?.do === "note") note.open();
    else return;
    event.preventDefault();
  });
  return (
    <section
      ref={alone}
      className={styles.desk}
      role="dialog"
      aria-modal="true"
      aria-label={text.editing(example.name)}
      tabIndex={-1}
    >
      <header className={styles.header}>
        <h2 title={example.name}>{text.editing(example.name)}</h2>
        <Button kind="quiet" title={text.escape} onClick={leave}>
          {t.common.close}
        </Button>
      </header>
      <div className={styles.stage}>
        <Stage
          medium="image"
          subject={subject}
          classes={classes}
          work={editor}
          ahead={ahead}
          alternate={alternate}
          onAlternate={setAlternate}
          covered={dialog !== null}
          onShown={noImages}
        />
      </div>
      <div className={styles.side}>
        <Faults of={verdicts} id={id} />
        <Note note={note} classes={classes} />
        <Panel
          classes={classes}
          work={editor}
          given={given}
          flashed={isSending ? (verdicts.sending?.choice ?? null) : null}
          disabled={isSending}
          unseen={!isShown}
          canUndo={false}
          onAnswer={answer}
          onUndo={null}
          onFind={() => setDialog("find")}
        />
      </div>
      {dialog === "find" && (
        <FindDialog
          classes={classes}
          onChoose={(classId) => editor && arm(editor, classId)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "leave" && (
        <ConfirmDialog
          title={text.leave.title}
          text={text.leave.text}
          action={text.leave.action}
          danger
          does={AT_ONCE}
          onConfirm={() => {
            editor?.settled(null, false);
            onClose();
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}

/** Has the focus, and leaves nothing else of the page to it, until it is gone. */
function useAlone() {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const page = document.getElementById("root");
    const before = document.activeElement;
    page?.toggleAttribute("inert", true);
    ref.current?.focus();
    return () => {
      page?.toggleAttribute("inert", false);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return ref;
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery } from "../../api/auth";
import type { ExampleDetail, Project } from "../../api/types";
import { t } from "../../strings";
import { boxesOf } from "../../tasks/boxes/model";
import { type Sayable, sayable, stands } from "../../tasks/byHand";
import { type Choice, isSameVerdict, LABELED } from "../../tasks/choice";
import { Note } from "../../tasks/Note";
import { saidOf } from "../../tasks/said";
import { traitsOf } from "../../tasks/traits";
import { FindButton, VerdictButton, type VerdictButtonProps } from "../../tasks/VerdictButton";
import { ariaKey, askedBy, FIXED_KEYS, isElsewhere, keyLabel, openedByKey } from "../../ui/hotkeys";
import { keyDialog } from "../../ui/keyDialog";
import { useKeyDown } from "../../ui/useKeyDown";
import { TAKE_BACK } from "./useJudge";
import { useNoted } from "./useNoted";
import type { Verdicts } from "./useVerdicts";
import styles from "./VerdictKeys.module.css";

const FindDialog = keyDialog(() => import("../../tasks/FindDialog").then((m) => m.FindDialog));

const text = t.pool.byHand;
const OPENED = openedByKey("pool");

/** Begins to edit boxes. */
const EDIT_KEY = "e";

type VerdictKeysProps = {
  project: Project;
  example: ExampleDetail;
  verdicts: Verdicts;
  /** Of images whose labels are boxes. */
  onEdit: () => void;
  /** Whether the keys are somebody else's for now. */
  off: boolean;
};

/** Whether somebody may say by hand what an image is: held out, or to evaluate on, it is left as it is. */
export const canBeJudged = ({ split, state }: ExampleDetail): boolean =>
  split === "pool" && state !== "held_out";

/** What the image that is shown large can be said to be, each with its key, as on the label page. */
export function VerdictKeys({ project, example, verdicts, onEdit, off }: VerdictKeysProps) {
  const me = useQuery(meQuery).data?.id;
  const [finds, setFinds] = useState(false);
  const hasBoxes = Boolean(boxesOf(example.whole_label)?.length);
  // That nothing is in an image is said once its boxes are deleted, and not by one key.
  const choices = sayable(project).filter(({ choice }) => !(choice.label && hasBoxes));
  const { sending, said } = verdicts;
  const { mine, note, say } = useNoted(example, verdicts, me);
  const isMine = verdicts.hasSaid(example.id) ?? mine !== undefined;
  const { isDrawn, namesOneClass } = traitsOf(project);
  const choose = ({ choice }: Sayable) => void say(choice);
  const takeBack = () => verdicts.takeBack(example);
  const askedOf = (key: string, shift: boolean): (() => void) | null => {
    const pressed = shift && /^[a-z]$/.test(key) ? `shift+${key}` : key;
    const chosen = choices.find((one) => one.key === pressed);
    if (chosen) return () => choose(chosen);
    if (pressed === FIXED_KEYS.note) return note.open;
    if (pressed === FIXED_KEYS.undo) return isMine ? takeBack : null;
    if (pressed === EDIT_KEY && isDrawn) return onEdit;
    return OPENED[pressed] && namesOneClass ? () => setFinds(true) : null;
  };
  // Before the grid's, in which some select or go on: what has a button here is that button's.
  useKeyDown(
    (event) => {
      if (event.defaultPrevented || isElsewhere(event)) return;
      const act = askedBy(event, (key) => askedOf(key, event.shiftKey));
      if (!act) return;
      // Held, too, it is not that of the grid.
      event.preventDefault();
      if (!event.repeat) act();
    },
    { capture: true, off },
  );
  const button = (one: Sayable, look: Look = {}) => (
    <VerdictButton
      key={`${one.choice.verdict}-${one.choice.classId}`}
      {...look}
      name={one.name}
      colour={one.colour}
      shortcut={one.key ? ariaKey(one.key) : undefined}
      shown={one.key ? keyLabel(one.key) : undefined}
      pressed={stands(one, example)}
      flashed={sending?.id === example.id && isSameVerdict(sending.choice, one.choice)}
      onClick={() => choose(one)}
    />
  );
  const labels = choices.filter(({ choice }) => choice.verdict === LABELED);
  const [none, unsure] = choices.filter(({ choice }) => choice.verdict !== LABELED);
  return (
    <fieldset className={styles.verdicts} aria-label={t.label.verdicts}>
      {isDrawn && (
        <VerdictButton
          name={hasBoxes ? text.edit : text.draw}
          shortcut={EDIT_KEY}
          shown={keyLabel(EDIT_KEY)}
          onClick={onEdit}
        />
      )}
      {labels.length > 0 && (
        <div className={styles.classes} data-beside>
          {labels.map((one) => button(one, { mark: one.colour ? "colour" : "empty" }))}
        </div>
      )}
      {labels.some(({ key }) => !key) && (
        <FindButton disabled={false} onFind={() => setFinds(true)} />
      )}
      {none && button(none, { mark: "hatch" })}
      <div className={styles.others}>
        {unsure && button(unsure, { width: "third" })}
        <VerdictButton
          width="third"
          name={text.takeBack}
          title={text.takeBackText}
          shortcut={FIXED_KEYS.undo}
          shown={keyLabel(FIXED_KEYS.undo)}
          disabled={!isMine}
          flashed={sending?.id === example.id && sending.choice === TAKE_BACK}
          onClick={takeBack}
        />
      </div>
      <Note note={note} classes={project.classes} />
      <p className={styles.said} role="status">
        {said?.id === example.id && wordOf(said.choice, choices)}
      </p>
      {finds && (
        <FindDialog
          classes={project.classes}
          onChoose={(id) => {
            const found = choices.find(({ choice }) => choice.classId === id);
            if (found) choose(found);
          }}
          onClose={() => setFinds(false)}
        />
      )}
    </fieldset>
  );
}

type Look = Pick<VerdictButtonProps, "mark" | "width">;

function wordOf(choice: Choice, choices: Sayable[]): string {
  if (choice === TAKE_BACK) return text.takenBack;
  const name = choices.find((one) => isSameVerdict(choice, one.choice))?.name;
  return text.said(saidOf(choice.label) ?? name ?? "");
}

import type { CSSProperties } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { chanceOf100 } from "../../ui/format";
import { isTouch } from "../../ui/isTouch";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import { Attributes } from "./Attributes";
import { askAttributes, remove, toggleFlag } from "./commands";
import { clip, duplicate } from "./copies";
import { sizeOf } from "./describe";
import type { BoxEditor, EditorView } from "./editor";
import { doubtOf, isWithin } from "./geometry";
import { type Box, FLAGS, type Flag } from "./model";
import styles from "./Panel.module.css";
import { keep } from "./suggestions";

const FLAG_KEYS: Readonly<Record<Flag, string>> = {
  occluded: "O",
  truncated: "T",
  difficult: "D",
  crowd: "C",
};

type ChosenProps = { editor: BoxEditor; view: EditorView; classes: readonly LabelClass[] };

/** What is chosen, and what can be done with it. */
export function Chosen({ editor, view, classes }: ChosenProps) {
  const box = editor.chosenBox;
  const proposal = editor.chosenProposal;
  const one = classes.find(({ id }) => id === (box ?? proposal)?.class_id);
  if (!box && !proposal) {
    return (
      <section className={styles.chosen} data-none="" data-said={isSaid(editor, view) || undefined}>
        <p className={styles.help}>{t.boxes.noneChosen(view.doc.boxes.length, isTouch())}</p>
      </section>
    );
  }
  const rect = box ?? proposal;
  const isSmall = rect && doubtOf(rect, editor.image) === "small";
  return (
    <section
      className={styles.chosen}
      style={{ "--colour": one?.colour } as CSSProperties}
      data-said={isSaid(editor, view) || undefined}
      aria-label={t.boxes.chosen}
    >
      <p className={styles.what}>
        <span className={styles.colour} aria-hidden="true" />
        <strong className={styles.name}>{one?.name}</strong>
        <span className={styles.size} data-small={isSmall || undefined}>
          {proposal && !proposal.said ? `${chanceOf100(proposal.score)} %` : rect && sizeOf(rect)}
        </span>
      </p>
      {box && (
        <div className={styles.flags}>
          {FLAGS.map((flag) => (
            <button
              key={flag}
              type="button"
              className={styles.flag}
              title={t.boxes.flagTexts[flag]}
              aria-pressed={box[flag]}
              aria-keyshortcuts={`Shift+${FLAG_KEYS[flag]}`}
              onMouseDown={keepFocus}
              onClick={() => toggleFlag(editor, flag)}
            >
              {t.boxes.flags[flag]}
              <Kbd decorative>{`⇧${FLAG_KEYS[flag]}`}</Kbd>
            </button>
          ))}
        </div>
      )}
      <Attributes editor={editor} of={box ?? proposal} name={one?.name ?? ""} />
      <div className={styles.actions}>
        {proposal ? (
          <>
            <Act
              name={t.boxes.keep}
              keys="Space"
              kbd={t.boxes.space}
              onClick={() => keep(editor, true)}
            />
            <Act name={t.boxes.reject} keys="Delete" kbd="Del" onClick={() => remove(editor)} />
            <Ask editor={editor} of={box ?? proposal} />
          </>
        ) : (
          <>
            <Act
              name={t.boxes.duplicate}
              keys="Control+D"
              kbd="Ctrl D"
              onClick={() => duplicate(editor)}
            />
            <Act name={t.boxes.remove} keys="Delete" kbd="Del" onClick={() => remove(editor)} />
            <Ask editor={editor} of={box ?? proposal} />
            {box && !isWithin(box, editor.image) && (
              <Act name={t.boxes.clip} keys="Shift+E" kbd="⇧E" onClick={() => clip(editor)} />
            )}
          </>
        )}
      </div>
    </section>
  );
}

/** Whether attributes are shown of some box here: there is room for them beside any. */
const isSaid = (editor: BoxEditor, view: EditorView): boolean =>
  [...view.doc.boxes, ...editor.proposals].some(
    ({ attributes }) => attributes && Object.keys(attributes).length > 0,
  );

function Ask({ editor, of }: { editor: BoxEditor; of: Pick<Box, "attributes"> | null }) {
  const name = t.boxes.attributes.open(Object.keys(of?.attributes ?? {}).length);
  return <Act name={name} keys="Shift+A" kbd="⇧A" onClick={() => askAttributes(editor, true)} />;
}

type ActProps = { name: string; keys: string; kbd: string; onClick: () => void };

function Act({ name, keys, kbd, onClick }: ActProps) {
  return (
    <button
      type="button"
      className={styles.act}
      aria-keyshortcuts={keys}
      onMouseDown={keepFocus}
      onClick={onClick}
    >
      {name}
      <Kbd decorative>{kbd}</Kbd>
    </button>
  );
}

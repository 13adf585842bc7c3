import type { CSSProperties } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { isTouch } from "../../ui/isTouch";
import { sizeOf } from "./describe";
import type { BoxEditor, EditorView } from "./editor";
import type { Notice } from "./model";
import styles from "./Stage.module.css";

type MessageProps = { editor: BoxEditor; view: EditorView; classes: readonly LabelClass[] };

/** What became of the last step; before the first one, what to do. */
export function Message({ editor, view, classes }: MessageProps) {
  const { notice, armed, doc, open } = view;
  const one = classes.find(({ id }) => id === armed);
  const isNew = doc.boxes.length === 0 && open.length === 0 && !editor.isChanged;
  const hint = isNew && one ? t.boxes.hint.draw(one.name) : null;
  const text = notice ? wordsOf(notice) : hint;
  return (
    <p className={styles.message} role="status" data-tone={notice ? toneOf(notice) : "hint"}>
      {text && (
        <span style={{ "--colour": one?.colour } as CSSProperties}>
          {!notice && <i className={styles.swatch} />}
          {text}
        </span>
      )}
    </p>
  );
}

function wordsOf(notice: Notice): string {
  const words = t.boxes.notice;
  switch (notice.say) {
    case "small":
      return words.small(sizeOf(notice));
    case "too_small":
      return words.tooSmall;
    case "outside":
      return words.outside;
    case "none_to_send":
      return words.noneToSend(notice.count, isTouch());
    case "not_empty":
      return words.notEmpty;
    case "no_class":
      return words.noClass;
    case "nothing_copied":
      return words.nothingCopied;
    case "added":
      return words.added(notice.count, notice.left);
    case "before":
      return words.before(notice.count, isTouch());
    default:
      return words[notice.say](notice.count);
  }
}

const toneOf = (notice: Notice): string => {
  const isWhole = notice.say === "added" && notice.left === 0;
  return isWhole || ["kept", "clipped"].includes(notice.say) ? "good" : "warn";
};

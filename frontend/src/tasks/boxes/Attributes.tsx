import { t } from "../../strings";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import { keyDialog } from "../../ui/keyDialog";
import styles from "./Attributes.module.css";
import { askAttributes, describe } from "./commands";
import { attributeValue } from "./describe";
import type { BoxEditor } from "./editor";
import type { Box } from "./model";

const AttributesDialog = keyDialog(() =>
  import("./AttributesDialog").then((found) => found.AttributesDialog),
);

const text = t.boxes.attributes;

type AttributesProps = {
  editor: BoxEditor;
  /** What is chosen. */
  of: Pick<Box, "attributes"> | null;
  /** Its class. */
  name: string;
};

/** What else is said of the chosen box, and the way to change that. */
export function Attributes({ editor, of, name }: AttributesProps) {
  const said = Object.entries(of?.attributes ?? {});
  const isOpen = editor.getView().asksAttributes;
  return (
    <div className={styles.attributes}>
      {said.length > 0 && (
        <dl className={styles.list} aria-label={text.title}>
          {said.map(([each, value]) => (
            <div key={each} className={styles.row}>
              <dt>{each}</dt>
              <dd dir="auto" title={attributeValue(value)}>
                {attributeValue(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <button
        type="button"
        className={styles.change}
        aria-keyshortcuts="Shift+A"
        aria-haspopup="dialog"
        onMouseDown={keepFocus}
        onClick={() => askAttributes(editor, true)}
      >
        {said.length > 0 ? text.change : text.add}
        <Kbd decorative>⇧A</Kbd>
      </button>
      {isOpen && (
        <AttributesDialog
          name={name}
          attributes={of?.attributes ?? {}}
          onDone={(attributes) => describe(editor, attributes)}
          onClose={() => askAttributes(editor, false)}
        />
      )}
    </div>
  );
}

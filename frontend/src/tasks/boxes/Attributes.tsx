import { t } from "../../strings";
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

/** So many stand in the panel, so that what is below stays in view; the dialog has all. */
const MOST = 3;

type AttributesProps = {
  editor: BoxEditor;
  /** What is chosen. */
  of: Pick<Box, "attributes"> | null;
  /** Its class. */
  name: string;
};

/** What else is said of the chosen box, and what that is changed in once it is asked for. */
export function Attributes({ editor, of, name }: AttributesProps) {
  const said = Object.entries(of?.attributes ?? {});
  return (
    <>
      {said.length > 0 && (
        <dl className={styles.list} aria-label={text.title}>
          {said.slice(0, MOST).map(([each, value]) => (
            <div key={each} className={styles.row}>
              <dt title={each}>{each}</dt>
              <dd dir="auto" title={attributeValue(value)}>
                {attributeValue(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {editor.getView().asksAttributes && (
        <AttributesDialog
          name={name}
          attributes={of?.attributes ?? {}}
          onDone={(attributes) => describe(editor, attributes)}
          onClose={() => askAttributes(editor, false)}
        />
      )}
    </>
  );
}

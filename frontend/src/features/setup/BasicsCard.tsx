import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { TextArea, TextField } from "../../ui/Field";
import { ClassEditor } from "./ClassEditor";
import { type ClassDraft, problemsOf as classProblems } from "./classes";
import styles from "./SetupScreen.module.css";

export type Basics = { name: string; guidelines: string; classes: ClassDraft[] };

type BasicsCardProps = {
  task: string;
  basics: Basics;
  isDraft: boolean;
  onChange: (basics: Basics) => void;
};

/** What keeps these from being saved, as the card says it beside each field. */
export const problemsOf = ({ name, classes }: Basics): string[] => [
  ...(name.trim() === "" ? [t.setup.projectNameEmpty] : []),
  ...classProblems(classes).values(),
];

export function BasicsCard({ task, basics, isDraft, onChange }: BasicsCardProps) {
  const { hasClasses } = traitsOf({ task });
  const setup = managerWordsOf({ task }).setup();
  return (
    <Card title={setup.basics} hint={setup.basicsHint} id="classes">
      <TextField
        label={t.setup.name}
        required
        error={basics.name.trim() === "" ? t.setup.projectNameEmpty : null}
        maxLength={100}
        autoComplete="off"
        value={basics.name}
        onChange={(event) => onChange({ ...basics, name: event.target.value })}
      />
      {hasClasses && (
        <fieldset className={styles.group}>
          <legend>{t.setup.classes}</legend>
          <ClassEditor
            classes={basics.classes}
            onChange={(classes) => onChange({ ...basics, classes })}
          />
          {!isDraft && <p className={styles.note}>{t.setup.classesLater}</p>}
        </fieldset>
      )}
      <TextArea
        label={t.setup.guidelines}
        hint={setup.guidelinesHint}
        maxLength={20_000}
        value={basics.guidelines}
        onChange={(event) => onChange({ ...basics, guidelines: event.target.value })}
      />
    </Card>
  );
}

import { useEffect, useRef, useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { CLASS_KEYS, keyLabel } from "../../ui/hotkeys";
import { IconButton } from "../../ui/IconButton";
import styles from "./ClassEditor.module.css";
import { type ClassDraft, moved, problemsOf, withNew } from "./classes";

type ClassEditorProps = {
  classes: ClassDraft[];
  onChange: (classes: ClassDraft[]) => void;
};

export function ClassEditor({ classes, onChange }: ClassEditorProps) {
  const list = useRef<HTMLOListElement>(null);
  const focusLast = useRef(false);
  const problems = problemsOf(classes);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after a class has been added.
  useEffect(() => {
    if (!focusLast.current) return;
    focusLast.current = false;
    list.current?.querySelector<HTMLInputElement>("li:last-child input[type=text]")?.focus();
  }, [classes.length]);

  const add = () => {
    focusLast.current = true;
    onChange(withNew(classes));
  };
  const change = (index: number, values: Partial<ClassDraft>) =>
    onChange(classes.map((draft, at) => (at === index ? { ...draft, ...values } : draft)));
  /** A pasted list becomes one class a line. */
  const paste = (index: number, text: string): boolean => {
    const names = text
      .split(/[\n,;\t]+/)
      .map((name) => name.trim())
      .filter(Boolean);
    const [first, ...others] = names;
    if (!first || others.length === 0) return false;
    const start = classes.map((draft, at) => (at === index ? { ...draft, name: first } : draft));
    onChange(others.reduce(withNew, start));
    return true;
  };

  return (
    <div className={styles.editor}>
      <ol ref={list} className={styles.list} aria-label={t.setup.classes}>
        {classes.map((draft, index) => (
          <ClassRow
            key={draft.row}
            draft={draft}
            index={index}
            count={classes.length}
            problem={problems.get(draft.row)}
            onChange={(values) => change(index, values)}
            onMove={(to) => onChange(moved(classes, index, to))}
            onRemove={() => onChange(classes.filter((other) => other !== draft))}
            onEnter={add}
            onPaste={(text) => paste(index, text)}
          />
        ))}
      </ol>
      <Button onClick={add}>{t.setup.addClass}</Button>
    </div>
  );
}

type ClassRowProps = {
  draft: ClassDraft;
  index: number;
  count: number;
  problem: string | undefined;
  onChange: (values: Partial<ClassDraft>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  onEnter: () => void;
  onPaste: (text: string) => boolean;
};

function ClassRow(props: ClassRowProps) {
  const { draft, index, count, problem, onChange, onMove, onRemove } = props;
  const [described, setDescribed] = useState(draft.guide !== "");
  const shown = draft.name.trim() || t.setup.thisClass;
  const problemId = `${draft.row}-problem`;
  return (
    <li className={styles.row}>
      <input
        type="color"
        className={styles.colour}
        aria-label={t.setup.classColour(shown)}
        value={draft.colour}
        onChange={(event) => onChange({ colour: event.target.value })}
      />
      <input
        type="text"
        className={styles.name}
        aria-label={t.setup.className(index + 1)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? problemId : undefined}
        value={draft.name}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => onChange({ name: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          props.onEnter();
        }}
        onPaste={(event) => {
          if (props.onPaste(event.clipboardData.getData("text"))) event.preventDefault();
        }}
      />
      <select
        className={styles.hotkey}
        aria-label={t.setup.classHotkey(shown)}
        value={draft.hotkey ?? ""}
        onChange={(event) => onChange({ hotkey: event.target.value || null })}
      >
        <option value="">{t.setup.noHotkey}</option>
        {CLASS_KEYS.map((key) => (
          <option key={key} value={key}>
            {keyLabel(key)}
          </option>
        ))}
      </select>
      <div className={styles.tools}>
        <IconButton
          name={t.setup.moveUp(shown)}
          path="M8 12V4M4.5 7.5 8 4l3.5 3.5"
          disabled={index === 0}
          onClick={() => onMove(index - 1)}
        />
        <IconButton
          name={t.setup.moveDown(shown)}
          path="M8 4v8M4.5 8.5 8 12l3.5-3.5"
          disabled={index === count - 1}
          onClick={() => onMove(index + 1)}
        />
        <IconButton
          name={t.setup.describeClass(shown)}
          path="M3 4.5h10M3 8h10M3 11.5h6"
          expanded={described}
          onClick={() => setDescribed(!described)}
        />
        <IconButton
          name={t.setup.removeClass(shown)}
          path="m4.5 4.5 7 7m0-7-7 7"
          onClick={onRemove}
        />
      </div>
      {described && (
        <textarea
          className={styles.guide}
          aria-label={t.setup.classGuide(shown)}
          placeholder={t.setup.classGuideHint}
          rows={2}
          maxLength={2_000}
          value={draft.guide}
          onChange={(event) => onChange({ guide: event.target.value })}
        />
      )}
      {problem && (
        <p id={problemId} className={styles.problem}>
          {problem}
        </p>
      )}
    </li>
  );
}

import { type KeyboardEvent, useId, useRef, useState } from "react";
import type { Algorithm, AlgorithmKind } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { DocumentationLink } from "../../ui/DocumentationLink";
import { TextField } from "../../ui/Field";
import { Needs } from "./AlgorithmFacts";
import styles from "./AlgorithmPicker.module.css";

type AlgorithmPickerProps = {
  kind: AlgorithmKind;
  algorithms: Algorithm[];
  /** The name in effect. */
  current: string;
  onChoose: (algorithm: Algorithm) => void;
  onClose: () => void;
};

/** Below so many there is nothing to search. */
const SEARCHABLE = 8;

/** All algorithms of a kind in their groups, each with what it needs. */
export function AlgorithmPicker(props: AlgorithmPickerProps) {
  const { kind, algorithms, current, onChoose, onClose } = props;
  const [words, setWords] = useState("");
  const [picked, setPicked] = useState(current);
  const form = useRef<HTMLFormElement>(null);
  const matches = algorithms.filter((algorithm) => isMatch(algorithm, words));
  // What the search hides cannot be chosen by accident; clearing the search brings it back.
  const selected =
    matches.find((algorithm) => algorithm.name === picked) ??
    matches.find(({ name, title, english }) =>
      isIn(`${name} ${title} ${english?.title ?? ""}`, words),
    ) ??
    matches[0];
  const titleOf = (name: string) => algorithms.find((one) => one.name === name)?.title;

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    const isSearch = event.target.type !== "radio";
    const isTyping =
      event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
    if (isSearch && event.key === "ArrowDown") {
      event.preventDefault();
      form.current?.querySelector<HTMLElement>("input:checked")?.focus();
    } else if (!isSearch && isTyping) {
      form.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
    }
  };
  return (
    <Dialog title={t.setup.kinds[kind]} onClose={onClose} wide>
      <form
        ref={form}
        className={styles.form}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          if (selected) onChoose(selected);
        }}
      >
        {algorithms.length >= SEARCHABLE && (
          <div className={styles.search}>
            <TextField
              type="search"
              label={t.setup.search(algorithms.length)}
              placeholder={t.setup.search(algorithms.length)}
              hideLabel
              autoComplete="off"
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          </div>
        )}
        {matches.length === 0 && (
          <p role="status" className={styles.nothing}>
            {t.setup.nothingFound(words)}
          </p>
        )}
        {inGroups(matches).map(([group, members]) => (
          <Group key={group} group={group}>
            {members.map((algorithm) => (
              <Option
                key={algorithm.name}
                algorithm={algorithm}
                standIn={titleOf(algorithm.fallback)}
                isSelected={algorithm === selected}
                isCurrent={algorithm.name === current}
                onSelect={() => setPicked(algorithm.name)}
              />
            ))}
          </Group>
        ))}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" disabled={!selected}>
            {selected?.name === current
              ? t.setup.keep(selected.title)
              : t.setup.use(selected?.title ?? "")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

type GroupProps = { group: Algorithm["group"]; children: React.ReactNode };

function Group({ group, children }: GroupProps) {
  const { title, hint } = t.setup.groups[group];
  const id = useId();
  return (
    <fieldset className={styles.group} aria-describedby={id}>
      <legend>{title}</legend>
      <p id={id} className={styles.hint}>
        {hint}
      </p>
      <div className={styles.options}>{children}</div>
    </fieldset>
  );
}

type OptionProps = {
  algorithm: Algorithm;
  standIn: string | undefined;
  isSelected: boolean;
  isCurrent: boolean;
  onSelect: () => void;
};

function Option({ algorithm, standIn, isSelected, isCurrent, onSelect }: OptionProps) {
  const id = useId();
  return (
    <div className={styles.option}>
      <input
        id={id}
        type="radio"
        // One name over all groups: the arrow keys walk through every one.
        name="algorithm"
        value={algorithm.name}
        checked={isSelected}
        data-autofocus={isCurrent || undefined}
        aria-describedby={`${id}-summary ${id}-needs`}
        onChange={onSelect}
      />
      <div className={styles.text}>
        <label htmlFor={id}>
          <span>{algorithm.title}</span>
          {isCurrent && <Chip tone="gold">{t.setup.inUse}</Chip>}
        </label>
        <p id={`${id}-summary`}>{algorithm.summary}</p>
        <Needs id={`${id}-needs`} algorithm={algorithm} standIn={standIn} />
      </div>
      <DocumentationLink algorithm={algorithm} />
    </div>
  );
}

function isMatch(algorithm: Algorithm, words: string): boolean {
  const { title, name, summary, paper, group, english } = algorithm;
  const own = [title, name, summary, paper, t.setup.groups[group].title];
  // Whoever knows an algorithm by its English title finds it in every language.
  return isIn([...own, ...Object.values(english ?? {})].join(" "), words);
}

const isIn = (text: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));

/** The groups in the order of the catalog. */
function inGroups(algorithms: Algorithm[]): [Algorithm["group"], Algorithm[]][] {
  const groups = new Map<Algorithm["group"], Algorithm[]>();
  for (const algorithm of algorithms) {
    groups.set(algorithm.group, [...(groups.get(algorithm.group) ?? []), algorithm]);
  }
  return [...groups];
}

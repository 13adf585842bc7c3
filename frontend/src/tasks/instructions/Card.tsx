import { type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../strings";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import styles from "./Card.module.css";
import { dragged, letGo } from "./dragging";
import type { RankingEditor, RankingView } from "./editor";
import { Grip } from "./Grip";
import { keyOfPlace, type Member } from "./model";
import { Row } from "./Row";
import { isWrong, placeOf, type Ranking } from "./ranking";
import type { OwnFields } from "./sameness";

type CardProps = {
  editor: RankingEditor;
  view: RankingView;
  member: Member;
  index: number;
  own: OwnFields | undefined;
  /** Whether what is asked stands above all cards. */
  isAsked: boolean;
  mono: boolean;
};

const hasSelection = (): boolean => getSelection()?.isCollapsed === false;

/**
 * Clicks on a card as its key: all that are not about the text on it.
 *
 * The click that ends a selection is none, and the first of a double click, which selects a word, is taken back.
 */
function useTaps(editor: RankingEditor, id: number) {
  const hadSelection = useRef(false);
  const tapped = useRef<Ranking | null>(null);
  return {
    onPointerDown: () => {
      hadSelection.current = hasSelection();
    },
    onClick: ({ detail, target }: MouseEvent) => {
      if ((target as Element).closest("button")) return;
      const before = tapped.current;
      tapped.current = null;
      if (hasSelection()) {
        if (detail === 2 && editor.getView().ranking === before) editor.undo();
      } else if (!hadSelection.current) {
        editor.press(id);
        tapped.current = editor.getView().ranking;
      }
    },
  };
}

/** One of the examples: a tap anywhere on it is its key. */
export function Card({ editor, view, member, index, own, isAsked, mono }: CardProps) {
  const { example_id: id, fields } = member;
  const { ranking, blaming, unfolded } = view;
  const taps = useTaps(editor, id);
  const place = placeOf(ranking, id);
  const wrong = isWrong(ranking, id);
  const words = t.instructions;
  const key = keyOfPlace(index);
  const state = wrong ? words.wrong : place === null ? words.notYet : words.place(place);
  const isTied = place !== null && (ranking.order[place - 1]?.length ?? 0) > 1;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its number is its key, and its first button does the same.
    <article
      className={styles.card}
      aria-label={words.example(index + 1)}
      data-example={id}
      data-state={wrong ? "wrong" : place === null ? "open" : "ranked"}
      data-blaming={blaming || undefined}
      onPointerDown={taps.onPointerDown}
      onClick={taps.onClick}
    >
      <header className={styles.head} {...dragged(id)}>
        <Grip />
        <button
          type="button"
          className={styles.pick}
          aria-pressed={place !== null}
          aria-keyshortcuts={key}
          onClick={(event) => {
            letGo(event);
            editor.press(id);
          }}
        >
          <Kbd decorative>{key}</Kbd>
          <span className="visually-hidden">{words.example(index + 1)}: </span>
          <span className={styles.place}>
            {isTied && "= "}
            {state}
          </span>
        </button>
        <button
          type="button"
          className={styles.wrong}
          aria-pressed={wrong}
          title={words.wrongText}
          aria-label={words.markWrong(index + 1)}
          onMouseDown={keepFocus}
          onClick={() => editor.blame(id)}
        >
          {words.wrongShort}
        </button>
      </header>
      <Body
        isUnfolded={unfolded.has(id)}
        name={words.example(index + 1)}
        shortcut={`Shift+${key}`}
        onFold={() => editor.fold(id)}
      >
        <Row fields={fields} own={own} mono={mono} only={isAsked ? "answer" : undefined} />
      </Body>
    </article>
  );
}

type BodyProps = {
  isUnfolded: boolean;
  name: string;
  shortcut: string;
  onFold: () => void;
  children: ReactNode;
};

/** As much as is read at a glance; all of it by a key or a click. */
function Body({ isUnfolded, name, shortcut, onFold, children }: BodyProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [{ isLong, isCut }, setFold] = useState({ isLong: false, isCut: false });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const long = heightOf(element) > foldedOf(element) + SPARED;
      element.toggleAttribute("data-long", long);
      const cut = long && element.scrollHeight > element.clientHeight + 4;
      setFold((was) =>
        was.isLong === long && was.isCut === cut ? was : { isLong: long, isCut: cut },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <>
      <div
        ref={ref}
        className={styles.body}
        data-unfolded={isUnfolded || undefined}
        data-long={isLong ? "" : undefined}
        data-cut={isCut || undefined}
      >
        {children}
      </div>
      {isLong && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isUnfolded}
          aria-keyshortcuts={shortcut}
          onMouseDown={keepFocus}
          onClick={onFold}
        >
          {isUnfolded ? t.instructions.fold : t.instructions.unfold}
          <span className="visually-hidden">, {name}</span>
          <Kbd decorative>{shortcut.replace("Shift+", "⇧")}</Kbd>
        </button>
      )}
    </>
  );
}

/** To hide less than this, in pixels, saves nothing: the button that shows it is as high. */
const SPARED = 56;

/** How high all of it is. */
function heightOf(element: HTMLElement): number {
  element.removeAttribute("data-long");
  return element.scrollHeight;
}

/** How high it is when it is folded. */
function foldedOf(element: HTMLElement): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Number.parseFloat(getComputedStyle(element).getPropertyValue("--folded")) * rem;
}

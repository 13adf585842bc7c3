import type { CSSProperties, ReactNode } from "react";
import type { LabelClass, Suggestion } from "../../../api/types";
import type { Prepared } from "../../../media/spec";
import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import { keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { keepFocus } from "../../../ui/keepFocus";
import { type Choice, chosen, isOpen, isSame } from "./choices";
import { shortcuts } from "./decisions";
import { votesFor, votesInAll } from "./votes";

/** What every button of the panel goes by. */
export type Deciding = {
  suggestion: Suggestion | null;
  /** Whether what is decided on has come up. */
  prepared: Prepared["state"];
  classes: LabelClass[];
  /** The decision just made, to show that the key was heard. */
  flashed: Choice | null;
  onDecide: (choice: Choice) => void;
};

type DecisionButtonProps = {
  deciding: Deciding;
  choice: Choice;
  /** Every key that decides so; those with a place on the keyboard are shown. */
  keys: (string | null)[];
  className?: string | undefined;
  colour?: string | undefined;
  title?: string | undefined;
  children: ReactNode;
};

export function DecisionButton(props: DecisionButtonProps) {
  const { deciding, choice, keys, className = "", colour, title, children } = props;
  const { suggestion, prepared, flashed, onDecide } = deciding;
  const before = suggestion && chosen(suggestion);
  return (
    <button
      type="button"
      className={`${panel.verdict} ${className}`}
      style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
      aria-keyshortcuts={shortcuts(keys)}
      aria-pressed={before ? isSame(before, choice) : undefined}
      data-flashed={isSame(flashed, choice) || undefined}
      disabled={!suggestion || !isOpen(choice, prepared)}
      title={title}
      onMouseDown={keepFocus}
      onClick={() => onDecide(choice)}
    >
      {children}
      <Keys keys={keys} />
    </button>
  );
}

const SIGNS: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→" };

function Keys({ keys }: { keys: (string | null)[] }) {
  const known = keys.filter((key) => key !== null);
  if (known.length === 0) return null;
  return (
    <span className={panel.keys}>
      {known.map((key) => (
        <Kbd key={key} decorative>
          {SIGNS[key] ?? keyLabel(key)}
        </Kbd>
      ))}
    </span>
  );
}

/** How many said so, of how many; nothing where there is one verdict only, or none. */
export function said(label: number | null, suggestion: Suggestion | null): string | null {
  if (!suggestion || votesInAll(suggestion) < 2) return null;
  return t.review.votes(votesFor(label, suggestion), votesInAll(suggestion));
}

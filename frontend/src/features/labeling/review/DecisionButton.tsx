import type { LabelClass, Suggestion } from "../../../api/types";
import type { Prepared } from "../../../media/spec";
import { t } from "../../../strings";
import { VerdictFrame, type VerdictFrameProps } from "../../../tasks/VerdictButton";
import { keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { type Choice, chosen, isOpen, isSameDecision } from "./choices";
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

type DecisionButtonProps = Omit<
  VerdictFrameProps,
  "shortcut" | "onClick" | "pressed" | "flashed" | "disabled"
> & {
  deciding: Deciding;
  choice: Choice;
  /** Every key that decides so; those with a place on the keyboard are shown. */
  keys: (string | null)[];
};

export function DecisionButton({ deciding, choice, keys, children, ...look }: DecisionButtonProps) {
  const { suggestion, prepared, flashed, onDecide } = deciding;
  const before = suggestion && chosen(suggestion);
  return (
    <VerdictFrame
      {...look}
      shortcut={shortcuts(keys)}
      pressed={before ? isSameDecision(before, choice) : undefined}
      flashed={isSameDecision(flashed, choice)}
      disabled={!suggestion || !isOpen(choice, prepared)}
      onClick={() => onDecide(choice)}
    >
      {children}
      <Keys keys={keys} />
    </VerdictFrame>
  );
}

const SIGNS: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→" };

function Keys({ keys }: { keys: (string | null)[] }) {
  const known = keys.filter((key) => key !== null);
  if (known.length === 0) return null;
  return (
    <span>
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

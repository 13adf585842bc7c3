import { FIXED_KEYS } from "../ui/hotkeys";
import { Kbd } from "../ui/Kbd";
import { keepFocus } from "../ui/keepFocus";
import styles from "./StageTools.module.css";

type Step = { label: string; disabled?: boolean; onClick: () => void };

type ScaleButtonsProps = {
  label: string;
  /** How large it is shown, of 100. */
  percent: number;
  smaller: Step;
  /** Back to the usual size; by a key where there is one for it. */
  reset: Step & { keys?: string };
  larger: Step;
  isEnlarged?: boolean;
  className?: string | undefined;
};

/** Larger, smaller and as usual. */
export function ScaleButtons(props: ScaleButtonsProps) {
  const { label, percent, smaller, reset, larger, isEnlarged, className = "" } = props;
  return (
    <fieldset
      className={`${styles.scale} ${className}`}
      aria-label={label}
      data-enlarged={isEnlarged || undefined}
    >
      <StepButton {...smaller} keys="-">
        −
      </StepButton>
      <StepButton {...reset} className={styles.percent}>
        {percent} %
      </StepButton>
      <StepButton {...larger} keys="+">
        +
      </StepButton>
    </fieldset>
  );
}

type StepButtonProps = Step & {
  keys?: string | undefined;
  className?: string | undefined;
  children: React.ReactNode;
};

function StepButton({ label, keys, disabled, onClick, className, children }: StepButtonProps) {
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-keyshortcuts={keys}
      disabled={disabled}
      // Enter and space stay the page's, and do not do this once more.
      onMouseDown={keepFocus}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

type AlternateProps = {
  label: string;
  alternate: boolean;
  onAlternate: (alternate: boolean) => void;
  className?: string | undefined;
};

/** Whether the example is drawn the other way. */
export function Alternate({ label, alternate, onAlternate, className = "" }: AlternateProps) {
  return (
    <button
      type="button"
      className={`${styles.alternate} ${className}`}
      aria-pressed={alternate}
      aria-keyshortcuts={FIXED_KEYS.smooth}
      onMouseDown={keepFocus}
      onClick={() => onAlternate(!alternate)}
    >
      {label}
      <Kbd decorative>{FIXED_KEYS.smooth.toUpperCase()}</Kbd>
    </button>
  );
}

import styles from "./IconButton.module.css";

type IconButtonProps = {
  name: string;
  /** The icon, as a path within 16 by 16. */
  path: string;
  disabled?: boolean;
  /** Whether what it opens is open. */
  expanded?: boolean;
  onClick: () => void;
};

/** A button that is all icon; its name is told, and shown on hover. */
export function IconButton({ name, path, disabled, expanded, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={name}
      title={name}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
}

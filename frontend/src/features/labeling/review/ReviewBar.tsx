import { Link } from "react-router";
import type { Project, Review } from "../../../api/types";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { FIXED_KEYS, keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { Meter } from "../../../ui/Meter";
import { Segments } from "../../../ui/Segments";
import styles from "./ReviewScreen.module.css";
import type { Kind } from "./votes";

const { review: text } = t;

/** One suggestion at a time, or all of a group that look alike. */
export type Mode = "single" | "groups";

const MODES = (["single", "groups"] as const).map((value) => ({
  value,
  name: text.alike.modes[value],
}));

type ReviewBarProps = {
  project: Project;
  /** Where one goes from here. */
  back: string;
  kind: Kind;
  review: Review | null;
  mode: Mode;
  onMode: (mode: Mode) => void;
  onHelp: () => void;
};

/** What is reviewed, how far it is, and in which way it is shown. */
export function ReviewBar({ project, back, kind, review, mode, onMode, onHelp }: ReviewBarProps) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.title}>
        {text[kind].title} <Link to={back}>{project.name}</Link>
      </h1>
      {review && review.total > 0 && (
        <Meter
          label={text.progress}
          value={review.total - review.open}
          max={review.total}
          text={text.of(review.total - review.open, review.total)}
        />
      )}
      {kind === "suggestions" && (
        <Segments
          label={text.alike.mode}
          hideLabel
          options={MODES}
          value={mode}
          onChange={onMode}
        />
      )}
      <Button
        kind="quiet"
        size="small"
        className={styles.help}
        aria-keyshortcuts={FIXED_KEYS.help}
        onClick={onHelp}
      >
        {t.label.help}
        <Kbd decorative>{keyLabel(FIXED_KEYS.help)}</Kbd>
      </Button>
    </div>
  );
}

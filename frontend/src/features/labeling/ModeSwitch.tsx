import { Link, useNavigate } from "react-router";
import type { Project, User } from "../../api/types";
import { t } from "../../strings";
import { isElsewhere, keyOf } from "../../ui/hotkeys";
import { useKeyDown } from "../../ui/useKeyDown";
import { GRID_KEYS } from "./grid/keys";
import styles from "./ModeSwitch.module.css";
import { chooseMode, type Mode, pathOf } from "./modes";

type ModeSwitchProps = { project: Project; user: User; mode: Mode };

/**
 * Changes between one image at a time and many, where the project allows both. The page that is left
 * is no step back: it would lead to the mode that was chosen last, which is this one.
 */
export function ModeSwitch({ project, user, mode }: ModeSwitchProps) {
  const navigate = useNavigate();
  const taken = project.classes.some((item) => item.hotkey === GRID_KEYS.mode);
  const both = project.modes.length > 1;
  useKeyDown(
    (event) => {
      if (event.repeat || isElsewhere(event) || keyOf(event) !== GRID_KEYS.mode) return;
      const other = mode === "grid" ? "single" : "grid";
      chooseMode(project, user, other);
      navigate(pathOf(project, other), { replace: true });
    },
    { off: !both || taken },
  );
  if (!both) return null;
  return (
    <nav className={styles.switch} aria-label={t.grid.modes}>
      {project.modes.map((one) => (
        <Link
          key={one}
          to={pathOf(project, one)}
          replace
          aria-current={one === mode ? "page" : undefined}
          aria-keyshortcuts={one === mode || taken ? undefined : GRID_KEYS.mode}
          onClick={() => chooseMode(project, user, one)}
        >
          <Icon mode={one} />
          <span>{t.grid.mode[one]}</span>
        </Link>
      ))}
    </nav>
  );
}

function Icon({ mode }: { mode: Mode }) {
  const squares = mode === "single" ? ["M3 3h14v14H3z"] : [3, 11].flatMap(rowOfTwo);
  return (
    <svg width="16" height="16" viewBox="0 0 20 20" aria-hidden="true">
      {squares.map((path) => (
        <path key={path} d={path} fill="currentColor" />
      ))}
    </svg>
  );
}

const rowOfTwo = (y: number): string[] => [`M3 ${y}h6v6H3z`, `M11 ${y}h6v6h-6z`];

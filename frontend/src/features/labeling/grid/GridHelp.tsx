import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import type { KeyRow } from "../../../tasks/spec";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { HelpFrame } from "../HelpFrame";
import { GRID_KEYS } from "./keys";

type GridHelpProps = { classes: LabelClass[]; onClose: () => void };

export function GridHelp({ classes, onClose }: GridHelpProps) {
  const free = (key: string) => !classes.some((item) => item.hotkey === key);
  const rows = t.grid.helpRows;
  const mode: KeyRow[] = free(GRID_KEYS.mode) ? [[[GRID_KEYS.mode], rows.mode]] : [];
  const keys: KeyRow[] = [
    [["←", "→", "↑", "↓"], rows.move],
    [["Space"], rows.toggle],
    [free(GRID_KEYS.group) ? [GRID_KEYS.group, "Ctrl A"] : ["Ctrl A"], rows.group],
    [["Esc"], rows.clear],
    [["Enter"], rows.confirm],
    [[FIXED_KEYS.undo, "Backspace"], rows.undo],
    [[FIXED_KEYS.smooth], rows.look],
    [["+", "-"], rows.resize],
    ...mode,
    [[FIXED_KEYS.guide], t.label.helpRows.guide],
    [[FIXED_KEYS.pause], t.label.helpRows.pause],
    [[FIXED_KEYS.help, "?"], rows.help],
  ];
  const verdicts: KeyRow[] = [
    ...classes.map(({ hotkey, name }): KeyRow => [hotkey ? [hotkey] : [], name]),
    [[FIXED_KEYS.ood], t.label.ood],
    [[FIXED_KEYS.unsure], t.label.unsure],
    [[FIXED_KEYS.skip], t.label.skip],
  ];
  return (
    <HelpFrame
      title={t.grid.helpTitle}
      intro={<p>{rows.verdict}</p>}
      verdicts={verdicts}
      keys={keys}
      touch={t.label.touch.grid}
      onClose={onClose}
    />
  );
}

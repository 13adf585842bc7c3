import { ScaleButtons } from "../../media/StageTools";
import { t } from "../../strings";
import { keepFocus } from "../../ui/keepFocus";
import { hide, toggleCrosshair, toggleTool } from "./commands";
import { repeatLast } from "./copies";
import type { BoxEditor, EditorView } from "./editor";
import styles from "./Stage.module.css";
import type { Scene } from "./scene";

type ToolsProps = { editor: BoxEditor; view: EditorView; scene: Scene };

const ZOOM = 1.4;
const ICONS = {
  draw: "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M8 5.5v5M5.5 8h5",
  choose: "M4 2.5l8.5 6-3.8.6 2.3 4-1.8 1-2.2-4L4 12.5z",
  undo: "M5.5 2.5L2.5 5.5l3 3M2.5 5.5h7a4 4 0 010 8h-3",
  redo: "M10.5 2.5l3 3-3 3M13.5 5.5h-7a4 4 0 000 8h3",
  repeat: "M5.5 5.5h8v8h-8zM2.5 10.5v-8h8",
  hide: "M1.5 8s2.5-4.5 6.5-4.5S14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 100-4 2 2 0 000 4M3 13L13 3",
  guides: "M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4",
} as const;

/** What acts on the stage as a whole: how large it is shown, and the tools. */
export function Tools({ editor, view, scene }: ToolsProps) {
  const { tools } = t.boxes;
  const percent = scene.percent;
  const isDrawing = view.armed !== null;
  return (
    <div className={styles.tools}>
      <ScaleButtons
        label={t.label.zoom.title}
        percent={percent}
        smaller={{
          label: t.label.zoom.out,
          disabled: !scene.isEnlarged,
          onClick: () => scene.zoom(1 / ZOOM),
        }}
        reset={{
          label: t.label.zoom.reset(percent),
          keys: "Home",
          disabled: !scene.isEnlarged,
          onClick: () => scene.whole(),
        }}
        larger={{ label: t.label.zoom.in, onClick: () => scene.zoom(ZOOM) }}
        isEnlarged={scene.isEnlarged}
        className={styles.scale}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: these are no fields of a form. */}
      <div className={styles.buttons} role="group" aria-label={tools.title}>
        <Tool
          icon={isDrawing ? "draw" : "choose"}
          name={isDrawing ? tools.drawing : tools.choosing}
          keys="Shift+V"
          onClick={() => toggleTool(editor)}
        />
        <Tool
          icon="undo"
          name={tools.undo}
          keys="Control+Z"
          disabled={!view.canUndo}
          onClick={() => editor.undo()}
        />
        <Tool
          icon="redo"
          name={tools.redo}
          keys="Control+Shift+Z"
          disabled={!view.canRedo}
          onClick={() => editor.redo()}
        />
        <Tool
          icon="repeat"
          name={tools.repeat}
          keys="Shift+R"
          disabled={editor.memory.last.length === 0}
          onClick={() => repeatLast(editor)}
        />
        <Tool
          icon="guides"
          name={tools.guides}
          keys="Shift+X"
          pressed={view.crosshair}
          onClick={() => toggleCrosshair(editor)}
        />
        <Tool
          icon="hide"
          name={tools.hide}
          keys="`"
          pressed={view.hidden}
          onClick={() => hide(editor, !view.hidden)}
        />
      </div>
    </div>
  );
}

type ToolProps = {
  icon: keyof typeof ICONS;
  name: string;
  keys: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
};

function Tool({ icon, name, keys, pressed, disabled, onClick }: ToolProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={name}
      title={`${name} (${keys.replace("Control+", "Ctrl+").replace("Shift+", "⇧")})`}
      aria-keyshortcuts={keys}
      aria-pressed={pressed}
      disabled={disabled}
      // The keys stay with the boxes.
      onMouseDown={keepFocus}
      onClick={onClick}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={ICONS[icon]} />
      </svg>
    </button>
  );
}

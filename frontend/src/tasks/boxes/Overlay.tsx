import type { CSSProperties } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { chanceOf100 } from "../../ui/format";
import { describeBox, sizeOf } from "./describe";
import type { BoxEditor, EditorView } from "./editor";
import { keyOfChosen } from "./edits";
import { HANDLES, type Rect, rectToScreen } from "./geometry";
import { gripOf } from "./grip";
import { handlePoint } from "./hit";
import type { Proposal } from "./model";
import { suggestedName } from "./paint";
import styles from "./Stage.module.css";
import type { Scene } from "./scene";

type OverlayProps = {
  editor: BoxEditor;
  view: EditorView;
  scene: Scene;
  classes: readonly LabelClass[];
};

/** The element that stands for what is chosen; another one each time, as screen readers tell of those. */
export const idOfChosen = ({ chosen }: EditorView): string | undefined =>
  chosen ? `chosen-${keyOfChosen(chosen)}` : undefined;

const SIDE = 9;

/** What the pointer and the keys are at: the chosen box with its handles, a new one, the guides. */
export function Overlay({ editor, view, scene, classes }: OverlayProps) {
  const { live, frame } = scene;
  const { width, height } = frame;
  const chosen = editor.chosenBox ?? editor.chosenProposal;
  const shown = live?.kind === "chosen" ? live.rect : chosen;
  const classOf = (id: number | null) => classes.find((one) => one.id === id);
  return (
    <svg
      id={idOfChosen(view)}
      className={styles.overlay}
      width={width}
      height={height}
      role="img"
      aria-hidden={!chosen || undefined}
    >
      <title>{labelOf(editor, view, shown, classOf(chosen?.class_id ?? null)?.name)}</title>
      <Guides view={view} scene={scene} />
      {live?.kind === "new" && (
        <Frame rect={live.rect} scene={scene} colour={classOf(view.armed)?.colour} />
      )}
      {chosen && shown && !view.hidden && (
        <Chosen
          editor={editor}
          view={view}
          scene={scene}
          rect={shown}
          one={classOf(chosen.class_id)}
          isDragged={live !== null}
        />
      )}
    </svg>
  );
}

/** The chosen box in words. */
function labelOf(
  { chosenBox: box, chosenProposal: proposal }: BoxEditor,
  { doc }: EditorView,
  rect: Rect | null,
  name = "",
): string {
  const place = box ? doc.boxes.indexOf(box) + 1 : 0;
  if (box) return describeBox({ ...box, ...rect }, name, place, doc.boxes.length);
  if (!proposal) return t.boxes.chosen;
  if (proposal.said) return t.boxes.says.besides(name);
  return t.boxes.says.proposal(name, chanceOf100(proposal.score));
}

type FrameProps = { rect: Rect; scene: Scene; colour: string | undefined };

function Frame({ rect, scene, colour }: FrameProps) {
  const { x, y, w, h } = rectToScreen(rect, scene.view);
  return (
    <g style={{ "--colour": colour } as CSSProperties}>
      <rect className={styles.halo} x={x} y={y} width={w} height={h} />
      <rect className={styles.edge} x={x} y={y} width={w} height={h} />
      <Tag x={x} y={y + h} text={sizeOf(rect)} />
    </g>
  );
}

type ChosenProps = {
  editor: BoxEditor;
  view: EditorView;
  scene: Scene;
  rect: Rect;
  one: LabelClass | undefined;
  isDragged: boolean;
};

function Chosen({ editor, view, scene, rect, one, isDragged }: ChosenProps) {
  const screen = rectToScreen(rect, scene.view);
  const { x, y, w, h } = screen;
  const proposal = editor.chosenProposal;
  const name = one?.name ?? "";
  const grip = gripOf(screen, scene.frame);
  // A box of a few pixels must be seen between its handles.
  const handles = HANDLES.filter(({ dx, dy }) => Math.min(w, h) > 28 || (dx !== 0 && dy !== 0));
  return (
    <g data-box={view.chosen?.kind} style={{ "--colour": one?.colour } as CSSProperties}>
      <rect className={styles.halo} x={x} y={y} width={w} height={h} />
      <rect className={styles.edge} x={x} y={y} width={w} height={h} />
      {handles.map((handle) => {
        const at = handlePoint(handle, screen);
        return (
          <rect
            key={`${handle.dx},${handle.dy}`}
            className={styles.handle}
            x={at.x - SIDE / 2}
            y={at.y - SIDE / 2}
            width={SIDE}
            height={SIDE}
            rx={2}
          />
        );
      })}
      {grip && !isDragged && (
        <g className={styles.grip} transform={`translate(${grip.x} ${grip.y})`}>
          <circle r={11} />
          <path d="M0-6v12M-6 0h12M-2-4.5l2-2 2 2M-2 4.5l2 2 2-2M-4.5-2l-2 2 2 2M4.5-2l2 2-2 2" />
        </g>
      )}
      <Tag x={x} y={y} above text={isDragged ? sizeOf(rect) : tagOf(name, proposal)} />
    </g>
  );
}

const tagOf = (name: string, proposal: Proposal | null): string =>
  proposal ? suggestedName(name, proposal) : name;

/** A few words at a corner of a box, kept on the stage. */
function Tag({ x, y, text, above }: { x: number; y: number; text: string; above?: boolean }) {
  const width = 12 + 6.6 * [...text].reduce((sum, sign) => sum + (sign > "\u1100" ? 1.75 : 1), 0);
  const top = above ? Math.max(2, y - 24) : y + 6;
  return (
    <g className={styles.tag} transform={`translate(${Math.max(2, x)} ${top})`}>
      <rect width={width} height={18} rx={4} />
      <text x={width / 2} y={9.5}>
        {text}
      </text>
    </g>
  );
}

/** Lines through the pointer across all of the image, to see where a box will begin. */
function Guides({ view, scene }: { view: EditorView; scene: Scene }) {
  const { pointer, frame, live } = scene;
  if (!pointer || !view.crosshair || view.armed === null || live?.kind === "chosen") return null;
  const [x, y] = [Math.round(pointer.x) + 0.5, Math.round(pointer.y) + 0.5];
  return (
    <g className={styles.guides}>
      <path d={`M${x} 0V${frame.height}M0 ${y}H${frame.width}`} />
      <path d={`M${x} 0V${frame.height}M0 ${y}H${frame.width}`} />
    </g>
  );
}

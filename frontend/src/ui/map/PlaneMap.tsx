import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "../../strings";
import { Button } from "../Button";
import { isMotionReduced } from "../motion";
import { useWidth } from "../useWidth";
import { areaOf, simplify } from "./lasso";
import styles from "./PlaneMap.module.css";
import { Picker, type Queried } from "./pick";
import { type Box, type Place, scaleOf, seen, toPlane, type View, WHOLE } from "./plane";
import { type Content, Scene, type Shown } from "./scene";
import { joined } from "./tiles";
import { usePalette } from "./usePalette";

const { map: text } = t.rounds;
const FARTHEST = 4_000;
const LEAST_AREA = 60;

export type Pointed = { poolIndex: number; at: Place };

type PlaneMapProps = {
  /** Of which of several maps; when it changes, everything moves over. */
  round: number;
  /** What goes along the axes; without it they mean nothing. */
  axes?: { purity: string; informativeness: string };
  box: Box;
  content: Content;
  queries: Queried[];
  shown: Shown;
  lasso: boolean;
  label: string;
  onView: (view: Box) => void;
  onOutline: (outline: Place[]) => void;
  onPoint: (pointed: Pointed | null) => void;
  onPick: (poolIndex: number) => void;
};

/** Images on a plane: zoom, pan, point, outline. */
export function PlaneMap(props: PlaneMapProps) {
  const { box, content, queries, shown, lasso, axes } = props;
  const hasAxes = axes !== undefined;
  const frame = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLCanvasElement>(null);
  const top = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const size = useMemo(
    () => ({ width, height: Math.min(560, Math.max(320, width * 0.56)) }),
    [width],
  );
  const palette = usePalette(frame);
  const scene = useRef<Scene | null>(null);
  const view = useRef<View>(WHOLE);
  const [isZoomed, setZoomed] = useState(false);

  useLayoutEffect(() => {
    if (!ground.current || !top.current || !palette) return;
    scene.current ??= new Scene(ground.current, top.current, palette);
    scene.current.set({ box, size, shown, palette, hasAxes });
  }, [box, size, shown, palette, hasAxes]);
  useEffect(() => () => scene.current?.stop(), []);

  const drawn = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scene comes with the palette.
  useEffect(() => {
    const isOther = drawn.current !== null && drawn.current !== props.round;
    scene.current?.show(content, isOther && !isMotionReduced());
    drawn.current = props.round;
  }, [content, props.round, palette]);

  const picker = useMemo(
    () => (width > 0 ? new Picker(queries, joined(content.tiles), box, size) : null),
    [queries, content.tiles, box, size, width],
  );
  const zooming = useZoom(frame, size, lasso, (now) => {
    view.current = now;
    setZoomed(now.k !== 1 || now.x !== 0 || now.y !== 0);
    scene.current?.set({ view: now });
    props.onView(seen(scaleOf(box, size, now), size));
  });

  const outline = useRef<Place[] | null>(null);
  const hasDrawn = useRef(false);
  const placeOf = (event: PointerEvent): Place => {
    const frameAt = (frame.current as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - frameAt.left, y: event.clientY - frameAt.top };
  };
  const planeOf = (places: Place[]): Place[] => {
    const scale = scaleOf(box, size, view.current);
    return places.map((place) => toPlane(scale, place));
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(lasso || event.shiftKey)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    outline.current = [placeOf(event)];
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = placeOf(event);
    if (outline.current) {
      outline.current.push(at);
      scene.current?.show({ ...content, outline: planeOf(outline.current) }, false);
      return;
    }
    const poolIndex = event.buttons === 0 ? picker?.at(at, view.current, shown.pool) : null;
    props.onPoint(poolIndex == null ? null : { poolIndex, at });
  };
  const onPointerCancel = () => {
    if (outline.current) scene.current?.show(content, false);
    outline.current = null;
  };
  const onPointerUp = () => {
    const drawnOutline = outline.current;
    outline.current = null;
    hasDrawn.current = drawnOutline !== null;
    if (!drawnOutline) return;
    if (areaOf(drawnOutline) >= LEAST_AREA) props.onOutline(planeOf(simplify(drawnOutline)));
    else scene.current?.show(content, false);
  };
  return (
    <div className={styles.map}>
      <div className={styles.bar} data-over={!axes || undefined}>
        {axes && <span>↑ {axes.informativeness}</span>}
        <Button size="small" aria-label={text.zoomIn} onClick={() => zooming.by(1.6)}>
          +
        </Button>
        <Button size="small" aria-label={text.zoomOut} onClick={() => zooming.by(1 / 1.6)}>
          −
        </Button>
        <Button size="small" disabled={!isZoomed} onClick={zooming.reset}>
          {text.reset}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: its images are reached by keyboard in the galleries. */}
      <div
        ref={frame}
        className={styles.frame}
        style={{ height: size.height }}
        data-lasso={lasso || undefined}
        role="img"
        aria-label={props.label}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerCancel}
        onPointerLeave={() => props.onPoint(null)}
        onClick={(event) => {
          const at = placeOf(event as unknown as PointerEvent);
          // The click that ends an outline picks nothing.
          const found = hasDrawn.current ? null : picker?.at(at, view.current, shown.pool);
          if (found != null) props.onPick(found);
        }}
      >
        <canvas ref={ground} className={styles.layer} />
        <canvas ref={top} className={styles.layer} />
      </div>
      {axes && <span className={styles.x}>{axes.purity} →</span>}
    </div>
  );
}

/** Wheel with Ctrl or ⌘, two fingers, dragging, and buttons. */
function useZoom(
  frame: React.RefObject<HTMLDivElement | null>,
  size: { width: number; height: number },
  lasso: boolean,
  onZoom: (view: View) => void,
) {
  const behaviour = useRef<ZoomBehavior<HTMLDivElement, unknown> | null>(null);
  const latest = useRef({ onZoom, lasso });
  latest.current = { onZoom, lasso };
  useEffect(() => {
    const element = frame.current;
    if (!element || size.width === 0) return;
    const made = zoom<HTMLDivElement, unknown>()
      .scaleExtent([1, FARTHEST])
      .extent([
        [0, 0],
        [size.width, size.height],
      ])
      .translateExtent([
        [0, 0],
        [size.width, size.height],
      ])
      .filter((event: Event) => isMeant(event, latest.current.lasso))
      .on("zoom", ({ transform }: D3ZoomEvent<HTMLDivElement, unknown>) => {
        latest.current.onZoom({ k: transform.k, x: transform.x, y: transform.y });
      });
    behaviour.current = made;
    const selection = select(element).call(made);
    return () => {
      selection.on(".zoom", null);
    };
  }, [frame, size]);
  const act = (change: (made: ZoomBehavior<HTMLDivElement, unknown>) => void) => {
    if (behaviour.current && frame.current) change(behaviour.current);
  };
  return {
    by: (factor: number) =>
      act((made) => made.scaleBy(select(frame.current as HTMLDivElement), factor)),
    reset: () =>
      act((made) => made.transform(select(frame.current as HTMLDivElement), zoomIdentity)),
  };
}

/** A bare wheel and one finger scroll the page; Shift draws an outline. */
function isMeant(event: Event, lasso: boolean): boolean {
  if (event.type === "wheel") {
    const { ctrlKey, metaKey } = event as WheelEvent;
    return ctrlKey || metaKey;
  }
  if (event.type === "touchstart") return (event as TouchEvent).touches.length > 1;
  const { button, shiftKey } = event as MouseEvent;
  return button === 0 && !shiftKey && !lasso;
}

import { useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { t } from "../../strings";
import { measurePaint } from "../../ui/measure";
import { Alternate, ScaleButtons } from "../StageTools";
import type { StageProps } from "../spec";
import styles from "./ImageStage.module.css";
import { NotShown } from "./NotShown";
import { useSharper } from "./useSharper";
import { useZoom, type Zoom } from "./useZoom";
import { STEP } from "./zoom";

/** Images up to this size are drawn as crisp pixels, in whole multiples. */
const PIXELS_UP_TO = 128;

/** Shows one image as large as it fits. The decoded element itself is put on the page. */
export function ImageStage(props: StageProps) {
  const { subject, ahead, alternate: smooth, onAlternate: onSmooth, onShown } = props;
  useSyncExternalStore(ahead.subscribe, ahead.getVersion);
  const prepared = ahead.get(subject);
  const frame = useRef<HTMLDivElement>(null);
  const [width, height] = [subject.width ?? 1, subject.height ?? 1];
  const box = useBox(frame);
  const ready = prepared?.state === "ready" && "image" in prepared ? prepared.image : null;
  const zoom = useZoom(frame, ready, subject.query_id);
  const drawn = box ? Math.min(box.width, (box.height * width) / height) : 0;
  useSharper(ready, subject, drawn * zoom.scale);

  useLayoutEffect(() => {
    const parent = frame.current;
    if (!parent || !ready || !box) return;
    const { width, height, pixelated } = fitted(ready, box, smooth);
    ready.style.width = `${width}px`;
    ready.style.height = `${height}px`;
    ready.style.imageRendering = pixelated ? "pixelated" : "auto";
  }, [ready, box, smooth]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once per query, whatever its callback is.
  useLayoutEffect(() => {
    const parent = frame.current;
    if (!parent || !ready) return;
    ready.alt = t.label.imageAlt(subject.name);
    ready.dataset.queryId = String(subject.query_id);
    parent.replaceChildren(ready);
    measurePaint();
    onShown();
    return () => parent.replaceChildren();
  }, [ready, subject.query_id]);

  return (
    <div className={styles.stage}>
      <div ref={frame} className={styles.frame} data-enlarged={zoom.scale > 1 || undefined} />
      {ready && <ZoomButtons zoom={zoom} />}
      {ready && Math.max(ready.naturalWidth, ready.naturalHeight) <= PIXELS_UP_TO && (
        <Alternate
          label={t.label.smooth}
          alternate={smooth}
          onAlternate={onSmooth}
          className={styles.smooth}
        />
      )}
      {!ready && <NotShown subject={subject} ahead={ahead} />}
    </div>
  );
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const { scale, by, reset } = zoom;
  const enlarged = scale > 1;
  return (
    <ScaleButtons
      label={t.label.zoom.title}
      percent={Math.round(100 * scale)}
      smaller={{ label: t.label.zoom.out, disabled: !enlarged, onClick: () => by(1 / STEP) }}
      reset={{
        label: t.label.zoom.reset(Math.round(100 * scale)),
        keys: "Escape",
        disabled: !enlarged,
        onClick: reset,
      }}
      larger={{ label: t.label.zoom.in, onClick: () => by(STEP) }}
      isEnlarged={enlarged}
      className={styles.zoom}
    />
  );
}

type Box = { width: number; height: number };

function useBox(ref: React.RefObject<HTMLDivElement | null>): Box | null {
  const [box, setBox] = useState<Box | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setBox({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return box;
}

/** Beyond this an image of a few pixels becomes harder to read, not easier. */
const largest = (side: number): number => Math.max(224, 16 * side);

function fitted(image: HTMLImageElement, box: Box, smooth: boolean) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const side = Math.max(width, height);
  const scale = Math.min(box.width / width, box.height / height, largest(side) / side);
  const pixelated = !smooth && side <= PIXELS_UP_TO;
  const factor = pixelated ? Math.max(1, Math.floor(scale)) : scale;
  return { width: width * factor, height: height * factor, pixelated };
}

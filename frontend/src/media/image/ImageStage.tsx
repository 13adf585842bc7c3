import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { t } from "../../strings";
import { measurePaint } from "../../ui/measure";
import { Skeleton } from "../../ui/State";
import { NotLoaded } from "../NotLoaded";
import { Alternate, ScaleButtons } from "../StageTools";
import type { StageProps, Subject } from "../spec";
import styles from "./ImageStage.module.css";
import { imageProblem, onScreen, SCREEN } from "./urls";
import { useZoom, type Zoom } from "./useZoom";
import { STEP } from "./zoom";

/** Images up to this size are drawn as crisp pixels, in whole multiples. */
const PIXELS_UP_TO = 128;
/** Pixels of the screen on the longer side from which the version for screens looks soft. */
const COARSE = 1.25 * SCREEN;
const LINGER_MS = 150;

/** Shows one image as large as it fits. The decoded element itself is put on the page. */
export function ImageStage(props: StageProps) {
  const { subject, ahead, alternate: smooth, onAlternate: onSmooth, onShown } = props;
  useSyncExternalStore(ahead.subscribe, ahead.getVersion);
  const prepared = ahead.get(subject);
  const frame = useRef<HTMLDivElement>(null);
  const box = useBox(frame);
  const ready = prepared?.state === "ready" && "image" in prepared ? prepared.image : null;
  const zoom = useZoom(frame, ready, subject.query_id);
  useSharper(ready, subject, box, zoom.scale);

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
      {prepared?.state === "failed" ? (
        <NotLoaded subject={subject} ahead={ahead} className={styles.message}>
          <Reason url={onScreen(subject)} />
        </NotLoaded>
      ) : (
        !ready && (
          <div className={styles.message}>
            <Skeleton width="min(22rem, 60vw)" height="min(22rem, 60vw)" />
          </div>
        )
      )}
    </div>
  );
}

/** Of a large image that only a smaller version is shown of, show itself where that is too coarse. */
function useSharper(
  shown: HTMLImageElement | null,
  subject: Subject,
  box: Box | null,
  scale: number,
): void {
  const { image_url: url } = subject;
  const [width, height] = [subject.width ?? 1, subject.height ?? 1];
  const drawn = box ? Math.min(box.width, (box.height * width) / height) : 0;
  const drawnLonger = Math.max(drawn, (drawn * height) / width);
  const isCoarse = url !== onScreen(subject) && drawnLonger * scale * devicePixelRatio > COARSE;
  useEffect(() => {
    if (!shown || !isCoarse || shown.getAttribute("src") === url) return;
    let current = true;
    // Who goes on at once needs no more, and the next images come first.
    const timer = setTimeout(() => {
      const whole = new Image();
      whole.src = url;
      // Decoded before it takes the place of what is there, so that nothing flickers.
      whole.decode().then(
        () => {
          if (current) shown.src = url;
        },
        () => {},
      );
    }, LINGER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [shown, isCoarse, url]);
}

/** What the server says of an image that it does not show. */
function Reason({ url }: { url: string }) {
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void imageProblem(url).then((found) => current && setReason(found));
    return () => {
      current = false;
    };
  }, [url]);
  return reason && <p className={styles.reason}>{reason}</p>;
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

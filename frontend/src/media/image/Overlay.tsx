import { useMemo } from "react";
import styles from "./Overlay.module.css";

/** Left, top, right and bottom, in pixels of the picture. */
type Edges = readonly [number, number, number, number];
export type DrawnBox = { edges: Edges; tone: "truth" | "found" };

type OverlayProps = {
  src: string;
  alt: string;
  width: number;
  height: number;
  /** Rows of 0 to 255 that lie over `square`. */
  levels?: readonly (readonly number[])[] | null;
  square?: Edges;
  boxes?: readonly DrawnBox[];
  /** Whether its pixels are shown, where it is small. */
  crisp?: boolean;
};

/** A picture with boxes on it, and what a model looks at lit up. */
export function Overlay(props: OverlayProps) {
  const { src, alt, width, height, levels, square, boxes = [], crisp } = props;
  const heat = useMemo(() => (levels ? heatOf(levels) : null), [levels]);
  const [left, top, right, bottom] = square ?? squareOf(width, height);
  return (
    <svg
      className={styles.overlay}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={alt}
      data-crisp={crisp || undefined}
    >
      <image href={src} width={width} height={height} preserveAspectRatio="none" />
      {heat && (
        // Of its own, so that what lies beside the picture is cut off, and edges of boxes are not.
        <svg width={width} height={height} overflow="hidden" aria-hidden="true">
          <rect className={styles.veil} width={width} height={height} />
          <image
            className={styles.heat}
            href={heat}
            x={left}
            y={top}
            width={right - left}
            height={bottom - top}
            preserveAspectRatio="none"
          />
        </svg>
      )}
      {boxes.map(({ edges: [x1, y1, x2, y2], tone }) => (
        <g key={tone} className={styles.box} data-tone={tone}>
          {["halo", "edge"].map((part) => (
            <rect key={part} data-part={part} x={x1} y={y1} width={x2 - x1} height={y2 - y1} />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** What models see of a picture if nothing else is said: its centre square. */
function squareOf(width: number, height: number): Edges {
  const side = Math.min(width, height);
  const [left, top] = [(width - side) / 2, (height - side) / 2];
  return [left, top, left + side, top + side];
}

/** The levels as a small picture, more opaque where they are higher; browsers enlarge it smoothly. */
function heatOf(levels: readonly (readonly number[])[]): string | null {
  const canvas = document.createElement("canvas");
  canvas.height = levels.length;
  canvas.width = levels[0]?.length ?? 0;
  const context = canvas.getContext("2d");
  if (!context || canvas.width === 0) return null;
  const data = context.createImageData(canvas.width, canvas.height);
  levels.flat().forEach((level, at) => {
    const share = level / 255;
    data.data.set([255, Math.round(90 + 140 * share), 30, Math.round(205 * share)], 4 * at);
  });
  context.putImageData(data, 0, 0);
  return canvas.toDataURL();
}

import { type PointerEvent, useId, useRef, useState } from "react";
import styles from "./Chart.module.css";
import { ticks } from "./scale";
import { useWidth } from "./useWidth";

export type Point = { x: number; y: number };
export type Bar = { x: number; parts: { value: number; tone: "in" | "ood" }[] };

type ChartProps = {
  title: string;
  hint: string;
  /** Told instead of the drawing, and when there is nothing to draw. */
  summary: string;
  format: (value: number) => string;
  line?: Point[];
  bars?: Bar[];
  reference?: { value: number; label: string } | null;
  /** Fixed ends of the vertical axis; otherwise they follow the data. */
  range?: [number, number];
  xLabel: (x: number) => string;
};

const HEIGHT = 180;
const MARGIN = { top: 10, right: 12, bottom: 22, left: 44 };

/** One small chart over rounds: a line, or bars. The same figures stand in a table beside it. */
export function Chart(props: ChartProps) {
  const { title, hint, summary, format, line = [], bars = [], reference, range, xLabel } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const hatch = useId();
  const [hovered, setHovered] = useState<number | null>(null);

  const tops = bars.map((bar) => ({ x: bar.x, y: bar.parts.reduce((sum, p) => sum + p.value, 0) }));
  const points = line.length > 0 ? line : tops;
  const empty = points.length === 0;
  const ys = points.map((point) => point.y).concat(reference ? [reference.value] : []);
  const axis = ticks(
    range?.[0] ?? (bars.length > 0 ? 0 : Math.min(...ys, 1)),
    range?.[1] ?? Math.max(...ys, bars.length > 0 ? 1 : 0),
  );
  const low = axis[0] ?? 0;
  const high = axis.at(-1) ?? 1;
  const first = points[0]?.x ?? 0;
  const last = points.at(-1)?.x ?? 0;
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const slot = inner / (last - first + 1);
  const xAt = (x: number) => MARGIN.left + (x - first + 0.5) * slot;
  const yAt = (y: number) =>
    MARGIN.top + (1 - (y - low) / (high - low || 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const every = Math.max(1, Math.ceil(28 / Math.max(slot, 1)));

  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const x = Math.round((at - MARGIN.left) / slot - 0.5) + first;
    setHovered(points.some((point) => point.x === x) ? x : null);
  };
  const shown = points.find((point) => point.x === hovered);

  return (
    <figure className={styles.chart}>
      <figcaption>
        <h3>{title}</h3>
        <p>{shown ? `${xLabel(shown.x)}: ${format(shown.y)}` : hint}</p>
      </figcaption>
      <div ref={frame} className={styles.frame}>
        {empty && <p className={styles.empty}>{summary}</p>}
        {!empty && width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${title}. ${summary}`}
            onPointerMove={follow}
            onPointerLeave={() => setHovered(null)}
          >
            <defs>
              <pattern
                id={hatch}
                width="5"
                height="5"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <rect width="5" height="5" className={styles.hatchGround} />
                <rect width="2" height="5" className={styles.hatchLine} />
              </pattern>
            </defs>
            {axis.map((value) => (
              <g key={value}>
                <line
                  className={styles.grid}
                  x1={MARGIN.left}
                  x2={width - MARGIN.right}
                  y1={yAt(value)}
                  y2={yAt(value)}
                />
                <text
                  className={styles.tick}
                  x={MARGIN.left - 8}
                  y={yAt(value) + 4}
                  textAnchor="end"
                >
                  {format(value)}
                </text>
              </g>
            ))}
            {points
              .filter((point) => (point.x - first) % every === 0)
              .map((point) => (
                <text
                  key={point.x}
                  className={styles.tick}
                  x={xAt(point.x)}
                  y={HEIGHT - 5}
                  textAnchor="middle"
                >
                  {point.x}
                </text>
              ))}
            {reference && (
              <line
                className={styles.reference}
                x1={MARGIN.left}
                x2={width - MARGIN.right}
                y1={yAt(reference.value)}
                y2={yAt(reference.value)}
              />
            )}
            {bars.map((bar) => (
              <Stack
                key={bar.x}
                bar={bar}
                x={xAt(bar.x)}
                width={Math.min(28, slot * 0.6)}
                yAt={yAt}
                hatch={hatch}
              />
            ))}
            {line.length > 0 && (
              <polyline
                className={styles.line}
                points={line.map((p) => `${xAt(p.x)},${yAt(p.y)}`).join(" ")}
              />
            )}
            {line.map((point) => (
              <circle
                key={point.x}
                className={styles.dot}
                cx={xAt(point.x)}
                cy={yAt(point.y)}
                r={point.x === hovered ? 5 : 3.5}
              />
            ))}
          </svg>
        )}
      </div>
      {reference && !empty && (
        <p className={styles.legend}>
          <span className={styles.dash} /> {reference.label}: {format(reference.value)}
        </p>
      )}
    </figure>
  );
}

type StackProps = { bar: Bar; x: number; width: number; yAt: (y: number) => number; hatch: string };

function Stack({ bar, x, width, yAt, hatch }: StackProps) {
  let base = 0;
  return bar.parts.map(({ value, tone }) => {
    const bottom = yAt(base);
    base += value;
    const top = yAt(base);
    return (
      <rect
        key={tone}
        x={x - width / 2}
        y={top}
        width={width}
        height={Math.max(0, bottom - top)}
        className={tone === "in" ? styles.bar : ""}
        fill={tone === "ood" ? `url(#${hatch})` : undefined}
      />
    );
  });
}

import { type PointerEvent, type ReactNode, useRef } from "react";
import styles from "./Plot.module.css";
import { nearest, steps } from "./scale";
import { useWidth } from "./useWidth";

const HEIGHT = 180;
const MARGIN = { top: 10, right: 12, bottom: 22, left: 44 };
const LABEL_WIDTH = 28;

/** Where values stand, in pixels, and how wide one step of x is. */
export type Scales = { xAt: (x: number) => number; yAt: (y: number) => number; slot: number };

type PlotProps = {
  title: string;
  hint: string;
  /** The drawing in words. */
  summary: string;
  /** Told instead of the drawing where there is nothing to draw. */
  empty: string | null;
  /** The marks of the vertical axis, in order. */
  axis: number[];
  format: (value: number) => string;
  /** Whole numbers at which something stands, in order. */
  xs: number[];
  /** Follows the pointer: the x that it is at, or null. */
  onHover: (x: number | null) => void;
  legend?: ReactNode;
  children: (scales: Scales) => ReactNode;
};

/** The frame of a small chart over rounds: heading, axes and legend around what is drawn. */
export function Plot(props: PlotProps) {
  const { title, hint, summary, empty, axis, format, xs, onHover, legend, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const low = axis[0] ?? 0;
  const high = axis.at(-1) ?? 1;
  const first = xs[0] ?? 0;
  const last = xs.at(-1) ?? 0;
  const slot = Math.max(0, width - MARGIN.left - MARGIN.right) / (last - first + 1);
  const xAt = (x: number) => MARGIN.left + (x - first + 0.5) * slot;
  const yAt = (y: number) =>
    MARGIN.top + (1 - (y - low) / (high - low || 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const labels = steps(first, last, Math.max(LABEL_WIDTH, 8 * `${last}`.length + 8) / slot);
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    onHover(nearest(xs, (at - MARGIN.left) / slot - 0.5 + first));
  };
  return (
    <figure className={styles.plot}>
      <figcaption>
        <h3>{title}</h3>
        <p>{hint}</p>
      </figcaption>
      <div ref={frame} className={styles.frame}>
        {empty !== null && <p className={styles.empty}>{empty}</p>}
        {empty === null && width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`${title}. ${summary}`}
            onPointerMove={follow}
            onPointerLeave={() => onHover(null)}
          >
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
            {xs.length > 0 &&
              labels.map((x) => (
                <text key={x} className={styles.tick} x={xAt(x)} y={HEIGHT - 5} textAnchor="middle">
                  {x}
                </text>
              ))}
            {children({ xAt, yAt, slot })}
          </svg>
        )}
      </div>
      {empty === null && legend && <div className={styles.legend}>{legend}</div>}
    </figure>
  );
}

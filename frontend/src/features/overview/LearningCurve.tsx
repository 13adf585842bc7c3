import { useRef } from "react";
import { t } from "../../strings";
import { ticks } from "../../ui/scale";
import { useWidth } from "../../ui/useWidth";
import styles from "./LearningCurve.module.css";
import type { Curve, Spread } from "./runs";

const { curves: text } = t.overview;
const HEIGHT = 180;
const MARGIN = { top: 10, right: 12, bottom: 22, left: 44 };

type LearningCurveProps = {
  title: string;
  hint: string;
  empty: string;
  curves: Curve[];
  format: (value: number) => string;
};

/** Curves over rounds, one for each strategy, with bands where a strategy has several runs. */
export function LearningCurve({ title, hint, empty, curves, format }: LearningCurveProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const points = curves.flatMap((curve) => curve.points);
  const axis = ticks(
    Math.min(...points.map((point) => point.low), 1),
    Math.min(1, Math.max(...points.map((point) => point.high), 0)),
  );
  const low = axis[0] ?? 0;
  const high = axis.at(-1) ?? 1;
  const last = Math.max(...points.map((point) => point.x), 0);
  const slot = Math.max(0, width - MARGIN.left - MARGIN.right) / (last + 1);
  const xAt = (x: number) => MARGIN.left + (x + 0.5) * slot;
  const yAt = (y: number) =>
    MARGIN.top + (1 - (y - low) / (high - low || 1)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const every = Math.max(1, Math.ceil(28 / Math.max(slot, 1)));
  const ends = curves.map(({ name, points: own }) => `${name}: ${format(own.at(-1)?.y ?? 0)}`);
  return (
    <figure className={styles.chart}>
      <figcaption>
        <h3>{title}</h3>
        <p>{hint}</p>
      </figcaption>
      <div ref={frame} className={styles.frame}>
        {points.length === 0 && <p className={styles.empty}>{empty}</p>}
        {points.length > 0 && width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={[title, ...ends].join(". ")}>
            {axis.map((value) => (
              <g key={value}>
                <line
                  className={styles.grid}
                  x1={MARGIN.left}
                  x2={width - MARGIN.right}
                  y1={yAt(value)}
                  y2={yAt(value)}
                />
                <text className={styles.tick} x={MARGIN.left - 8} y={yAt(value) + 4} data-end>
                  {format(value)}
                </text>
              </g>
            ))}
            {Array.from({ length: last + 1 }, (_, x) => x)
              .filter((x) => x % every === 0)
              .map((x) => (
                <text key={x} className={styles.tick} x={xAt(x)} y={HEIGHT - 5}>
                  {x}
                </text>
              ))}
            {curves.map(({ name, runs, points: own }, index) => (
              <g key={name} data-curve={index % 4}>
                {runs > 1 && (
                  <polygon
                    className={styles.band}
                    points={[
                      ...several(own).map((one) => `${xAt(one.x)},${yAt(one.high)}`),
                      ...several(own)
                        .toReversed()
                        .map((one) => `${xAt(one.x)},${yAt(one.low)}`),
                    ].join(" ")}
                  />
                )}
                <polyline
                  className={styles.line}
                  points={own.map((one) => `${xAt(one.x)},${yAt(one.y)}`).join(" ")}
                />
                {own.map((one) => (
                  <circle
                    key={one.x}
                    className={styles.dot}
                    cx={xAt(one.x)}
                    cy={yAt(one.y)}
                    r={3.5}
                  >
                    <title>
                      {`${name}, ${text.round(one.x)}: ${format(one.y)}${
                        one.runs > 1 ? ` ± ${format(one.high - one.y)}` : ""
                      }`}
                    </title>
                  </circle>
                ))}
              </g>
            ))}
          </svg>
        )}
      </div>
      {(curves.length > 1 || curves.some((curve) => curve.runs > 1)) && (
        <ul className={styles.legend}>
          {curves.map(({ name, runs }, index) => (
            <li key={name} data-curve={index % 4}>
              <i className={styles.key} />
              {runs > 1 ? text.runsOf(name, runs) : name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

/** One run alone has no deviation. */
const several = (points: Spread[]): Spread[] => points.filter((point) => point.runs > 1);

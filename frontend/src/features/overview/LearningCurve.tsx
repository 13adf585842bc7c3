import { useState } from "react";
import { t } from "../../strings";
import { CurveLegend, toneOf } from "../../ui/Curves";
import shared from "../../ui/Curves.module.css";
import { Plot, type Scales } from "../../ui/Plot";
import { stretches, ticks } from "../../ui/scale";
import styles from "./LearningCurve.module.css";
import type { Curve, Spread } from "./runs";

const { curves: text } = t.overview;

type LearningCurveProps = {
  title: string;
  hint: string;
  empty: string;
  curves: Curve[];
  format: (value: number) => string;
  /** Where the axis begins: what chance would get. Lower values have all of the axis. */
  chance: number;
};

/** Curves over rounds, one for each strategy, with bands where a strategy has several runs. */
export function LearningCurve({ title, hint, empty, curves, format, chance }: LearningCurveProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const points = curves.flatMap((curve) => curve.points);
  const last = Math.max(...points.map((point) => point.x), 0);
  const said = ({ y, low, high, runs }: Spread): string =>
    runs > 1
      ? `${format(y)} ± ${format(high - y)}`
      : t.advice.within(format(y), format(low), format(high));
  const told = (name: string, value: string): string =>
    curves.length > 1 ? `${name} ${value}` : value;
  const shown = curves.flatMap(({ name, points: own }) =>
    own.filter((one) => one.x === hovered).map((one) => told(name, said(one))),
  );
  return (
    <Plot
      title={title}
      hint={hovered !== null && shown[0] ? `${text.round(hovered)}: ${shown.join(", ")}` : hint}
      summary={curves.map(({ name, points: own }) => `${name}: ${endOf(own, format)}`).join(". ")}
      empty={points.length === 0 ? empty : null}
      axis={ticks(points.some((point) => point.low < chance) ? 0 : chance, 1)}
      format={format}
      xs={Array.from({ length: last + 1 }, (_, x) => x)}
      onHover={setHovered}
      legend={
        (curves.length > 1 || curves.some((curve) => curve.runs > 1)) && (
          <CurveLegend
            curves={curves.map(({ name, runs }, index) => ({
              name: runs > 1 ? text.runsOf(name, runs) : name,
              tone: toneOf(index),
            }))}
          />
        )
      }
    >
      {(scales) =>
        curves.map((curve, index) => (
          <g key={curve.name} className={shared.curve} data-curve={toneOf(index)}>
            <Drawn points={curve.points} scales={scales} hovered={hovered} />
          </g>
        ))
      }
    </Plot>
  );
}

type DrawnProps = { points: Spread[]; scales: Scales; hovered: number | null };

/** A line, and behind it the band where there are several runs: one alone has no deviation. */
function Drawn({ points, scales: { xAt, yAt }, hovered }: DrawnProps) {
  const several = points.filter((point) => point.runs > 1);
  const edge = [
    ...several.map(({ x, high }) => [x, high] as const),
    ...several.toReversed().map(({ x, low }) => [x, low] as const),
  ];
  return (
    <>
      <polygon
        className={styles.band}
        points={edge.map(([x, y]) => `${xAt(x)},${yAt(y)}`).join(" ")}
      />
      {stretches(points).map((stretch) => (
        <polyline
          key={stretch[0]?.x}
          className={shared.line}
          points={stretch.map(({ x, y }) => `${xAt(x)},${yAt(y)}`).join(" ")}
        />
      ))}
      {points.map(
        ({ x, low, high, runs }) =>
          runs === 1 && (
            <line
              key={x}
              className={styles.error}
              x1={xAt(x)}
              x2={xAt(x)}
              y1={yAt(low)}
              y2={yAt(high)}
            />
          ),
      )}
      {points.map(({ x, y }) => (
        <circle
          key={x}
          className={styles.dot}
          cx={xAt(x)}
          cy={yAt(y)}
          r={x === hovered ? 5 : 3.5}
        />
      ))}
    </>
  );
}

const endOf = (points: Spread[], format: (value: number) => string): string =>
  format(points.at(-1)?.y ?? 0);

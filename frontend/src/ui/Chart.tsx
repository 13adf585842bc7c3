import { useId, useState } from "react";
import { t } from "../strings";
import styles from "./Chart.module.css";
import { Plot } from "./Plot";
import { stretches, ticks } from "./scale";

/** The least distance of dots, in pixels. */
const DOT = 9;

/** A value, with the ends of its interval where it has one. */
export type Point = { x: number; y: number; low?: number; high?: number };
type Tone = "in" | "ood" | "unsure";
/** The rest is what nobody can tell the tone of. */
export type BarPart = { value: number; tone: Tone | "rest" };
export type Bar = { x: number; parts: BarPart[] };

const TONES = ["in", "ood", "unsure"] as const;

type ChartProps = {
  title: string;
  hint: string;
  /** Told instead of the drawing, and when there is nothing to draw. */
  summary: string;
  format: (value: number) => string;
  line?: Point[];
  bars?: Bar[];
  /** What the parts of bars are called. */
  tones?: Record<Tone, string>;
  reference?: { value: number; label: string } | null;
  /** Fixed ends of the vertical axis; otherwise they follow the data. */
  range?: [number, number];
  xLabel: (x: number) => string;
};

/** One small chart over rounds: a line, or bars. The same figures stand in a table beside it. */
export function Chart(props: ChartProps) {
  const { title, hint, summary, format, line = [], bars = [], reference, range, xLabel } = props;
  const { tones } = props;
  const hatch = useId();
  const [hovered, setHovered] = useState<number | null>(null);
  const tops = bars.map((bar) => ({ x: bar.x, y: bar.parts.reduce((sum, p) => sum + p.value, 0) }));
  const points = line.length > 0 ? line : tops;
  const ys = points.map((point) => point.y).concat(reference ? [reference.value] : []);
  const shown = points.find((point) => point.x === hovered);
  const drawn = TONES.filter((tone) =>
    bars.some(({ parts }) => parts.some((part) => part.tone === tone && part.value > 0)),
  );
  return (
    <Plot
      title={title}
      hint={shown ? `${xLabel(shown.x)}: ${said(shown, format)}` : hint}
      summary={summary}
      empty={points.length === 0 ? summary : null}
      axis={ticks(
        range?.[0] ?? (bars.length > 0 ? 0 : Math.min(...ys, 1)),
        range?.[1] ?? Math.max(...ys, bars.length > 0 ? 1 : 0),
      )}
      format={format}
      xs={points.map((point) => point.x)}
      onHover={setHovered}
      legend={
        reference ? (
          <p className={styles.told}>
            <span className={styles.dash} /> {reference.label}: {format(reference.value)}
          </p>
        ) : (
          tones &&
          drawn.length > 0 && (
            <ul className={styles.tones}>
              {drawn.map((tone) => (
                <li key={tone} className={styles.told}>
                  <span className={styles.swatch} data-tone={tone} /> {tones[tone]}
                </li>
              ))}
            </ul>
          )
        )
      }
    >
      {({ xAt, yAt, slot }) => (
        <>
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
          {reference && (
            <line
              className={styles.reference}
              x1={xAt((points[0]?.x ?? 0) - 0.5)}
              x2={xAt((points.at(-1)?.x ?? 0) + 0.5)}
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
          {stretches(line).map((stretch) => (
            <polyline
              key={stretch[0]?.x}
              className={styles.line}
              points={stretch.map((p) => `${xAt(p.x)},${yAt(p.y)}`).join(" ")}
            />
          ))}
          {line.map(
            ({ x, low, high }) =>
              low !== undefined &&
              high !== undefined && (
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
          {dotsOf(line, xAt, hovered).map((point) => (
            <circle
              key={point.x}
              className={styles.dot}
              cx={xAt(point.x)}
              cy={yAt(point.y)}
              r={point.x === hovered ? 5 : 3.5}
            />
          ))}
        </>
      )}
    </Plot>
  );
}

function said({ y, low, high }: Point, format: (value: number) => string): string {
  if (low === undefined || high === undefined) return format(y);
  return t.advice.within(format(y), format(low), format(high));
}

/** Every point, or where they would run into each other the one that is pointed at. */
function dotsOf(line: Point[], xAt: (x: number) => number, hovered: number | null): Point[] {
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last) return [];
  const apart = (xAt(last.x) - xAt(first.x)) / Math.max(1, line.length - 1);
  return line.length === 1 || apart >= DOT ? line : line.filter(({ x }) => x === hovered);
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
        className={styles.bar}
        data-tone={tone}
        fill={tone === "ood" ? `url(#${hatch})` : "var(--tone)"}
      />
    );
  });
}

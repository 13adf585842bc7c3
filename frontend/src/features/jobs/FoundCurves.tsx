import { useState } from "react";
import type { FoundByMethod, Localization } from "../../api/localization";
import { t } from "../../strings";
import { CurveLegend, type Tone } from "../../ui/Curves";
import shared from "../../ui/Curves.module.css";
import { formatPercent } from "../../ui/format";
import { Plot } from "../../ui/Plot";
import styles from "./Localization.module.css";
import { methodsOf } from "./localized";

const { localization: text } = t;
const AXIS = [0, 0.25, 0.5, 0.75, 1];

const formatShare = (share: number): string => text.at(Math.round(100 * share));

type Curve = { name: string; tone: Tone; shares: number[] };

const TONES: Readonly<Record<string, Tone>> = { standard: 1, oat: 3, taufe: 0 };

/** What share is found, by how much it has to overlap, and by where a map is cut. */
export function FoundCurves({ result }: { result: Localization }) {
  const curves = (read: (found: FoundByMethod) => number[] | undefined): Curve[] =>
    methodsOf(result).flatMap((method) => {
      const shares = read(result.methods[method] as FoundByMethod);
      return shares ? [{ name: text.methods[method], tone: TONES[method] ?? 2, shares }] : [];
    });
  const mean: Curve = {
    name: text.guesses.mean_box,
    tone: "rest",
    shares: result.floors.mean_box.overlaps,
  };
  return (
    <div className={styles.curves}>
      <Curves
        title={text.byOverlap}
        hint={text.byOverlapHint}
        at={result.overlaps}
        curves={[...curves((found) => found.overlaps), mean]}
      />
      {result.localize === "cam" && (
        <Curves
          title={text.byThreshold}
          hint={text.byThresholdHint}
          at={result.thresholds}
          curves={curves((found) => found.thresholds)}
        />
      )}
    </div>
  );
}

type CurvesProps = { title: string; hint: string; at: number[]; curves: Curve[] };

function Curves({ title, hint, at, curves }: CurvesProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const xs = at.map((share) => Math.round(100 * share));
  const place = hovered === null ? -1 : xs.indexOf(hovered);
  const said = curves.map(({ name, shares }) => `${name} ${formatPercent(shares[place] ?? 0)}`);
  return (
    <Plot
      title={title}
      hint={place >= 0 ? `${text.at(xs[place] ?? 0)}: ${said.join(", ")}` : hint}
      summary={curves
        .map(({ name, shares }) => `${name}: ${formatPercent(Math.max(...shares))}`)
        .join(". ")}
      empty={null}
      axis={AXIS}
      format={formatShare}
      xs={xs}
      onHover={setHovered}
      legend={<CurveLegend curves={curves} />}
    >
      {({ xAt, yAt }) => (
        <>
          {place >= 0 && (
            <line
              className={shared.cursor}
              x1={xAt(xs[place] ?? 0)}
              x2={xAt(xs[place] ?? 0)}
              y1={yAt(0)}
              y2={yAt(1)}
            />
          )}
          {curves.map(({ name, tone, shares }) => (
            <g key={name} className={shared.curve} data-curve={tone}>
              <polyline
                className={shared.line}
                points={shares.map((y, at) => `${xAt(xs[at] ?? 0)},${yAt(y)}`).join(" ")}
              />
            </g>
          ))}
        </>
      )}
    </Plot>
  );
}

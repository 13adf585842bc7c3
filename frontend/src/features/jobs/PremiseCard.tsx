import { useState } from "react";
import type { Premise, PremiseBin, ShareWithin } from "../../api/results";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Chart } from "../../ui/Chart";
import { CurveLegend, type Tone } from "../../ui/Curves";
import curves from "../../ui/Curves.module.css";
import { Figures } from "../../ui/Figures";
import { formatCount, formatPercent, formatWholePercent } from "../../ui/format";
import { Plot } from "../../ui/Plot";
import styles from "./PremiseCard.module.css";
import { figuresOf, groupOf, meaningOf } from "./premise";

const { premise: text } = t.jobs.subset;
const AXIS = [0, 0.25, 0.5, 0.75, 1];

/** Whether what Prune4ReL counts on holds here, as far as anybody knows which labels are right. */
export function PremiseCard({ premise }: { premise: Premise }) {
  const { bins, source } = premise;
  return (
    <Card title={text.title} hint={text.hint}>
      <p>
        {meaningOf(premise)} {source && text.from[source]}
      </p>
      {source && <Figures figures={figuresOf(premise)} />}
      <div className={styles.charts}>
        {source && <Shares premise={premise} />}
        <Chart
          title={text.counts}
          hint={text.countsHint}
          summary={bins
            .map((bin, at) => `${groupOf(bin, at)}: ${formatCount(bin.count)}`)
            .join(". ")}
          format={formatCount}
          bars={bins.map(({ count }, at) => ({ x: at + 1, parts: [{ value: count, tone: "in" }] }))}
          xLabel={(x) => groupOf(bins[x - 1], x - 1)}
        />
      </div>
    </Card>
  );
}

type Curve = { name: string; tone: Tone; of: (bin: PremiseBin) => ShareWithin | null };

function Shares({ premise }: { premise: Premise }) {
  const { bins, by } = premise;
  const [hovered, setHovered] = useState<number | null>(null);
  const lines: Curve[] = [
    { name: text.relabeled[by], tone: 0, of: (bin) => bin.relabeled_right },
    { name: text.labels, tone: 1, of: (bin) => bin.labels_right },
  ];
  const said = (bin: PremiseBin | undefined, at: number): string => {
    if (!bin) return "";
    const shares = lines.map(({ name, of }) => `${name} ${formatPercent(of(bin)?.share ?? null)}`);
    return `${groupOf(bin, at)}: ${shares.join(", ")}, ${text.of(bin.known)}`;
  };
  return (
    <Plot
      title={text.right}
      hint={hovered === null ? text.rightHint : said(bins[hovered - 1], hovered - 1)}
      summary={bins.map(said).join(". ")}
      empty={null}
      axis={AXIS}
      format={formatWholePercent}
      xs={bins.map((_, at) => at + 1)}
      onHover={setHovered}
      legend={<CurveLegend curves={lines} />}
    >
      {({ xAt, yAt }) => (
        <>
          {hovered !== null && (
            <line
              className={curves.cursor}
              x1={xAt(hovered)}
              x2={xAt(hovered)}
              y1={yAt(0)}
              y2={yAt(1)}
            />
          )}
          {lines.map(({ name, tone, of }) => {
            const known = bins.flatMap((bin, at) => {
              const share = of(bin);
              return share ? [{ x: xAt(at + 1), ...share }] : [];
            });
            return (
              <g key={name} className={curves.curve} data-curve={tone}>
                {known.map(({ x, low, high }) => (
                  <line
                    key={x}
                    className={styles.within}
                    x1={x}
                    x2={x}
                    y1={yAt(low)}
                    y2={yAt(high)}
                  />
                ))}
                <polyline
                  className={curves.line}
                  points={known.map(({ x, share }) => `${x},${yAt(share)}`).join(" ")}
                />
              </g>
            );
          })}
        </>
      )}
    </Plot>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { drawingQuery } from "../../api/artifacts";
import type { Comparison, Drawing } from "../../api/results";
import type { LabelClass } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { nameOf, trainedOf } from "./figures";
import styles from "./JobsScreen.module.css";

const { comparison } = t.jobs;
const RADIUS = 0.016;

type FeatureMapsProps = { classes: LabelClass[]; result: Comparison; artifactId: number };

/** The maps side by side; pointing at an image shows where each method puts it. */
export function FeatureMaps({ classes, result, artifactId }: FeatureMapsProps) {
  const drawing = useQuery(drawingQuery(artifactId));
  const [shown, setShown] = useState<number | null>(null);
  if (drawing.error && !drawing.data)
    return <Failure error={drawing.error} onRetry={() => drawing.refetch()} />;
  if (!drawing.data) {
    return (
      <Loading>
        <Skeleton height="20rem" />
      </Loading>
    );
  }
  const { examples, class_ids: classIds } = drawing.data;
  const classOf = (id: number | null) =>
    id === null ? comparison.ood : (classes.find((one) => one.id === id)?.name ?? String(id));
  const example = shown === null ? undefined : examples[shown];
  return (
    <>
      <div className={styles.legend}>
        {classes
          .filter((one) => classIds.includes(one.id))
          .map((one) => (
            <span key={one.id}>
              <i className={styles.swatch} style={{ background: one.colour }} />
              {one.name}
            </span>
          ))}
        <span>
          <i className={styles.swatch} data-ood />
          {comparison.ood}
        </span>
      </div>
      <div className={styles.methods}>
        {trainedOf(result).map((method) => (
          <FeatureMap
            key={method}
            name={nameOf(result, method)}
            points={drawing.data.points[method] ?? []}
            drawing={drawing.data}
            classes={classes}
            shown={shown}
            onShow={setShown}
          />
        ))}
      </div>
      <div className={styles.shown} aria-live="polite">
        {example !== undefined && shown !== null ? (
          <>
            <Thumbnail example={{ id: example }} alt="" />
            {classOf(classIds[shown] ?? null)}
          </>
        ) : (
          comparison.mapPoint
        )}
      </div>
    </>
  );
}

type FeatureMapProps = {
  name: string;
  points: [number, number][];
  drawing: Drawing;
  classes: LabelClass[];
  shown: number | null;
  onShow: (index: number) => void;
};

function FeatureMap({ name, points, drawing, classes, shown, onShow }: FeatureMapProps) {
  const colours = new Map(classes.map((one) => [one.id, one.colour]));
  return (
    <figure className={styles.method}>
      <figcaption>{name}</figcaption>
      <svg
        className={styles.map}
        viewBox="-1.08 -1.08 2.16 2.16"
        role="img"
        aria-label={comparison.mapOf(name, points.length)}
      >
        {points.map(([x, y], index) => {
          const classId = drawing.class_ids[index] ?? null;
          const mark = {
            "data-shown": index === shown || undefined,
            onPointerEnter: () => onShow(index),
          };
          return classId === null ? (
            <rect
              key={drawing.examples[index]}
              data-ood
              x={x - RADIUS}
              y={y - RADIUS}
              width={2 * RADIUS}
              height={2 * RADIUS}
              {...mark}
            />
          ) : (
            <circle
              key={drawing.examples[index]}
              cx={x}
              cy={y}
              r={RADIUS}
              fill={colours.get(classId)}
              {...mark}
            />
          );
        })}
      </svg>
    </figure>
  );
}

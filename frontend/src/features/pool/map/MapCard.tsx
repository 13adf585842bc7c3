import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { algorithmsQuery, jobOf, useTitles } from "../../../api/algorithms";
import { type ColouredBy, embeddingMapQuery } from "../../../api/embeddingMap";
import { serving } from "../../../api/serving";
import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Card } from "../../../ui/Card";
import { formatDateTime } from "../../../ui/format";
import { JobControls, useJobsOfKind } from "../../../ui/jobs/JobControls";
import { Failure, Loading, Notice, Skeleton } from "../../../ui/State";
import { EmbeddingMap } from "./EmbeddingMap";
import styles from "./EmbeddingMap.module.css";

const { map: text } = t.pool;
const KIND = "embedding_map";

type MapCardProps = {
  project: Project;
  by: ColouredBy;
  chosenBy: number | null;
  outline: string | null;
  onColour: (by: ColouredBy) => void;
  onChosenBy: (id: number) => void;
  onOutline: (outline: string | null) => void;
  onOpen: (id: number) => void;
};

/** The map of the pool, or how it is made. */
export function MapCard(props: MapCardProps) {
  const { project, outline, onOutline } = props;
  const found = useQuery(embeddingMapQuery(project.id));
  const jobs = useJobsOfKind(project.id, KIND);
  const algorithms = useQuery(algorithmsQuery);
  const [modelTitle, jobTitle] = [useTitles("model"), useTitles("job")];
  const [isOpen, setOpen] = useState(false);
  const all = algorithms.data?.items;
  const algorithm = jobOf(all && serving(all, project), KIND);
  const error = found.error ?? jobs.error ?? algorithms.error;
  const map = found.data?.map ?? null;
  const [latest] = jobs.data?.items ?? [];
  const atWork = latest?.state === "queued" || latest?.state === "running";
  const featuresOf = (name: string) => (name === "learn_features" ? jobTitle : modelTitle)(name);
  const isStale = outline !== null && map !== null && !outline.startsWith(`${map.version}:`);
  const retry = () => {
    for (const one of [found, jobs, algorithms]) if (one.error) one.refetch();
  };
  return (
    <Card
      title={text.title}
      hint={map && text.of(map.count, featuresOf(map.features), formatDateTime(map.made_at))}
      actions={
        map && (
          <Button
            size="small"
            aria-expanded={isOpen || atWork}
            disabled={atWork}
            onClick={() => setOpen(!isOpen)}
          >
            {text.anew}
          </Button>
        )
      }
    >
      {error && <Failure error={error} onRetry={retry} />}
      {!error && !(found.data && jobs.data && algorithm) && (
        <Loading>
          <Skeleton height="20rem" />
        </Loading>
      )}
      {found.data && map === null && !atWork && (
        <div className={styles.none}>
          <strong>{text.none}</strong>
          <p>{text.noneText}</p>
        </div>
      )}
      {map !== null && map.later > 0 && <Notice tone="gold">{text.later(map.later)}</Notice>}
      {isStale && (
        <Notice tone="gold">
          <p>{text.stale}</p>
          <Button size="small" onClick={() => onOutline(null)}>
            {t.rounds.inside.close}
          </Button>
        </Notice>
      )}
      {found.data &&
        jobs.data &&
        algorithm &&
        (map === null || isOpen || atWork || (map?.later ?? 0) > 0) && (
          <section className={styles.job} aria-label={text.making}>
            <JobControls project={project} algorithm={algorithm} jobs={jobs.data.items} />
          </section>
        )}
      {found.data && map && (
        <EmbeddingMap
          {...props}
          // Its view is of this map alone.
          key={map.version}
          map={map}
          scoresRound={found.data.scores_round}
        />
      )}
    </Card>
  );
}

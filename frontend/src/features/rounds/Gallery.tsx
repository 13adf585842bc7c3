import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mapImagesQuery } from "../../api/maps";
import type { MapImage, MapQuery, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { imageUrl, stateOf } from "./Pins";
import styles from "./RoundScreen.module.css";
import { keyOf } from "./useMap";

const { inside, asked, map } = t.rounds;
const PAGE = 60;

type Thumb = { id: number; name: string; caption: string };

function Thumbs({ images }: { images: Thumb[] }) {
  return (
    <ul className={styles.gallery}>
      {images.map(({ id, name, caption }) => (
        <li key={id}>
          <img src={imageUrl(id)} alt={`${name}: ${caption}`} title={name} loading="lazy" />
          <span>{caption}</span>
        </li>
      ))}
    </ul>
  );
}

type InsideCardProps = { project: Project; number: number; polygon: string; onClose: () => void };

/** All images within an outline, page by page. */
export function InsideCard({ project, number, polygon, onClose }: InsideCardProps) {
  const found = useInfiniteQuery(mapImagesQuery(project.id, number, polygon));
  const images: MapImage[] = found.data?.pages.flatMap((page) => page.items) ?? [];
  const total = found.data?.pages[0]?.total;
  return (
    <Card
      title={inside.title}
      hint={total === undefined ? t.common.loading : inside.hint(total)}
      actions={
        <Button size="small" onClick={onClose}>
          {inside.close}
        </Button>
      }
    >
      {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && (
        <Loading>
          <Skeleton height="7rem" />
        </Loading>
      )}
      {total === 0 && <p className={styles.quiet}>{inside.empty}</p>}
      <Thumbs
        images={images.map((image) => ({
          id: image.example_id,
          name: image.name,
          caption: stateOf(image, project),
        }))}
      />
      {found.hasNextPage && (
        <Button busy={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          {inside.more}
        </Button>
      )}
    </Card>
  );
}

type AskedCardProps = {
  project: Project;
  queries: { items: MapQuery[]; total: number; isReady: boolean };
  hidden: ReadonlySet<string>;
};

/** The query set of the round, best rank first; the legend chooses among verdicts. */
export function AskedCard({ project, queries, hidden }: AskedCardProps) {
  const [most, setMost] = useState(PAGE);
  const shown = queries.items.filter((one) => !hidden.has(keyOf(one)));
  const names = new Map(project.classes.map((one) => [one.id, one.name]));
  const captionOf = ({ verdict, class_id: classId }: MapQuery): string => {
    if (verdict === null) return map.unanswered;
    if (verdict === "class") return names.get(classId ?? 0) ?? String(classId);
    return map.verdicts[verdict];
  };
  return (
    <Card title={asked.title} hint={asked.hint(queries.total, shown.length)}>
      {queries.isReady && shown.length === 0 && (
        <p className={styles.quiet}>{queries.total === 0 ? asked.none : asked.filtered}</p>
      )}
      <Thumbs
        images={shown.slice(0, most).map((one) => ({
          id: one.example_id,
          name: one.name,
          caption: captionOf(one),
        }))}
      />
      {shown.length > most && (
        <Button onClick={() => setMost(most + PAGE)}>{t.rounds.inside.more}</Button>
      )}
    </Card>
  );
}

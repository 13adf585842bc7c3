import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mapImagesQuery } from "../../api/maps";
import type { MapImage, MapQuery, Project, Round } from "../../api/types";
import { Gallery, type GalleryImage } from "../../media/Gallery";
import { t } from "../../strings";
import { boxesSaid } from "../../tasks/boxes/describe";
import { noneOf } from "../../tasks/stateNames";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { More } from "../../ui/More";
import { Since } from "./Pins";
import { whyQueued } from "./queued";
import styles from "./RoundScreen.module.css";
import { sinceOf, stateOf } from "./standing";
import { keyOf } from "./useMap";

const { inside, asked, map } = t.rounds;
const PAGE = 60;

/** One of an outline or a query set, with what is said of it, and what became of it since. */
const shownAs = (
  image: Pick<MapImage, "example_id" | "name" | "since" | "excerpt">,
  caption: string,
  project: Project,
): GalleryImage => {
  const since = sinceOf(image, project);
  return {
    id: image.example_id,
    excerpt: image.excerpt,
    text: [`${image.name}: ${caption}`, ...(since ? [since] : [])].join(", "),
    title: image.name,
    caption: (
      <>
        <span>{caption}</span>
        {since && <Since text={since} />}
      </>
    ),
  };
};

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
      <Fetching of={found} height="7rem" />
      {total === 0 && <p className={styles.quiet}>{inside.empty}</p>}
      <Gallery images={images.map((image) => shownAs(image, stateOf(image, project), project))} />
      <More list={found}>{inside.more}</More>
    </Card>
  );
}

type AskedCardProps = {
  project: Project;
  round: Round;
  queries: { items: MapQuery[]; total: number; isReady: boolean };
  hidden: ReadonlySet<string>;
};

/** The query set of the round, best rank first; the legend chooses among verdicts. */
export function AskedCard({ project, round, queries, hidden }: AskedCardProps) {
  const [most, setMost] = useState(PAGE);
  const shown = queries.items.filter((one) => !hidden.has(keyOf(one)));
  const first = queries.items.filter(({ rank }) => rank < 0).length;
  const why = whyQueued(round, queries.total, first);
  const changed = queries.items.filter((one) => one.since).length;
  const names = new Map(project.classes.map((one) => [one.id, one.name]));
  const captionOf = ({ verdict, class_id: classId, boxes }: MapQuery): string => {
    if (verdict === null) return map.unanswered;
    if (verdict === "label") {
      if (boxes !== null) return boxesSaid(boxes);
      return classId === null ? t.states.classes.labeled : (names.get(classId) ?? `${classId}`);
    }
    return verdict === "ood" ? noneOf(project).short : map.verdicts[verdict];
  };
  return (
    <Card title={asked.title} hint={asked.hint(queries.total, shown.length)}>
      {why && <p className={styles.caption}>{asked.why(why)}</p>}
      {changed > 0 && (
        <p className={styles.caption}>{asked.changed(changed, round.state === "closed")}</p>
      )}
      {queries.isReady && shown.length === 0 && (
        <p className={styles.quiet}>{queries.total === 0 ? asked.none : asked.filtered}</p>
      )}
      <Gallery images={shown.slice(0, most).map((one) => shownAs(one, captionOf(one), project))} />
      {shown.length > most && (
        <Button onClick={() => setMost(most + PAGE)}>{t.rounds.inside.more}</Button>
      )}
    </Card>
  );
}

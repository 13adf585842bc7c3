import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clustersQuery, type SelectedCluster, type ShownClusters } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Chip } from "../../../ui/Chip";
import { Segments } from "../../../ui/Segments";
import { Paged } from "./Paged";
import { SelectedItem } from "./SelectedItem";
import styles from "./Selection.module.css";

const SHOWN: ShownClusters[] = ["all", "undecided", "unranked", "people"];

type ClustersCardProps = {
  place: { projectId: number; jobId: number };
  /** Shows these, and has no choice of others. */
  only?: ShownClusters;
};

/** Clusters to look through, with what became of each of their rows. */
export function ClustersCard({ place, only }: ClustersCardProps) {
  const text = t.selection;
  const [show, setShow] = useState<ShownClusters>(only ?? "all");
  const found = useInfiniteQuery(clustersQuery(place, show));
  const pages = found.data?.pages ?? [];
  const items = pages.flatMap((page) => page.items);
  return (
    <Card title={only ? text.givenToPeople : text.browse} hint={text.browseHint}>
      {!only && (
        <Segments
          label={text.show.label}
          hideLabel
          options={SHOWN.map((value) => ({ value, name: text.show[value] }))}
          value={show}
          onChange={setShow}
        />
      )}
      <Paged found={found} isEmpty={items.length === 0}>
        {pages[0] && <p className={styles.quiet}>{text.total(pages[0].total)}</p>}
        <ol className={styles.clusters}>
          {items.map((cluster) => (
            <Cluster key={cluster.cluster} projectId={place.projectId} cluster={cluster} />
          ))}
        </ol>
      </Paged>
    </Card>
  );
}

const TONES = {
  decided: "good",
  undecided: "gold",
  unranked: "bad",
  alone: "plain",
  plain: "plain",
} as const;

type ClusterProps = { projectId: number; cluster: SelectedCluster };

function Cluster({ projectId, cluster }: ClusterProps) {
  const text = t.selection;
  const { cluster: number, status, w, p_value: p, asked, source, members } = cluster;
  return (
    <li className={styles.cluster}>
      <header>
        <h3>{text.cluster(number)}</h3>
        <Chip tone={source === "people" ? "good" : TONES[status]}>
          {source === "people" ? text.byPeople : (text.status[status] ?? status)}
        </Chip>
        <span className={styles.quiet} title={w === null ? undefined : text.wHint}>
          {[
            w !== null && text.w(w.toFixed(2), p === null ? null : p.toFixed(3)),
            status !== "alone" &&
              status !== "unranked" &&
              source !== "people" &&
              text.sources[source],
            asked && text.askedAbout[asked],
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </header>
      <ol className={styles.members}>
        {members.map((row) => (
          <SelectedItem key={row.example_id} projectId={projectId} row={row} />
        ))}
      </ol>
    </li>
  );
}

import { useQuery } from "@tanstack/react-query";
import { mapImageQuery } from "../../api/maps";
import type { MapImage, Project, RoundMap } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { Beside } from "../../ui/map/Beside";
import type { Pointed } from "../../ui/map/PlaneMap";
import { useRested } from "../../ui/map/useRested";
import styles from "./RoundScreen.module.css";
import { sinceOf, stateOf } from "./standing";

const { map: text } = t.rounds;

const shown = (value: number): string => Number(value.toPrecision(3)).toString();

/** The image under the pointer, beside it. */
export function Preview({
  project,
  map,
  pointed,
}: {
  project: Project;
  map: RoundMap;
  pointed: Pointed;
}) {
  const poolIndex = useRested(pointed.poolIndex);
  const image = useQuery({
    ...mapImageQuery(project.id, map.number, poolIndex),
    enabled: poolIndex === pointed.poolIndex,
  }).data;
  return (
    <Beside pointed={pointed}>
      <Shown
        project={project}
        image={image?.pool_index === pointed.poolIndex ? image : undefined}
      />
    </Beside>
  );
}

function Shown({ project, image }: { project: Project; image: MapImage | undefined }) {
  if (!image) return <p className={styles.quiet}>{text.loading}</p>;
  const since = sinceOf(image, project);
  return (
    <>
      <Thumbnail
        example={{ id: image.example_id, excerpt: image.excerpt }}
        alt={image.name}
        width={96}
        height={96}
      />
      <div>
        <strong>{stateOf(image, project)}</strong>
        {since && <Since text={since} />}
        <p>{image.name}</p>
        <p>{text.values(shown(image.purity), shown(image.informativeness))}</p>
        {image.meta_score !== null && <p>{text.meta(shown(image.meta_score))}</p>}
      </div>
    </>
  );
}

/** What became of an image after the round had closed, beside what was known then. */
export const Since = ({ text }: { text: string }) => <small className={styles.since}>{text}</small>;

type PinsProps = {
  project: Project;
  map: RoundMap;
  pinned: number[];
  onLetGo: (poolIndex: number) => void;
};

/** The images that were clicked. */
export function Pins({ project, map, pinned, onLetGo }: PinsProps) {
  if (pinned.length === 0) return null;
  return (
    <ul className={styles.pins} aria-label={text.pins}>
      {pinned.map((poolIndex) => (
        <Pin key={poolIndex} {...{ project, map, poolIndex, onLetGo }} />
      ))}
    </ul>
  );
}

type PinProps = Omit<PinsProps, "pinned"> & { poolIndex: number };

function Pin({ project, map, poolIndex, onLetGo }: PinProps) {
  const image = useQuery(mapImageQuery(project.id, map.number, poolIndex)).data;
  return (
    <li>
      <Shown project={project} image={image} />
      <button
        type="button"
        aria-label={text.unpin(image?.name ?? String(poolIndex))}
        onClick={() => onLetGo(poolIndex)}
      >
        ×
      </button>
    </li>
  );
}

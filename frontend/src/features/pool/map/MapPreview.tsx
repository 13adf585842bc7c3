import { useQuery } from "@tanstack/react-query";
import { embeddingImageQuery } from "../../../api/embeddingMap";
import type { Project } from "../../../api/types";
import { Thumbnail } from "../../../media/Thumbnail";
import { t } from "../../../strings";
import { boxesSaid } from "../../../tasks/boxes/describe";
import { stateNames } from "../../../tasks/stateNames";
import { formatChance } from "../../../ui/format";
import { Beside } from "../../../ui/map/Beside";
import type { Pointed } from "../../../ui/map/PlaneMap";
import { useRested } from "../../../ui/map/useRested";

const { map: text } = t.pool;

type MapPreviewProps = { project: Project; version: string; pointed: Pointed };

/** The image under the pointer, beside it. */
export function MapPreview({ project, version, pointed }: MapPreviewProps) {
  const { poolIndex } = pointed;
  const rested = useRested(poolIndex);
  const found = useQuery({
    ...embeddingImageQuery(project.id, version, poolIndex),
    enabled: rested === poolIndex,
  });
  const image = found.data;
  const nameOf = (id: number | null) => project.classes.find((one) => one.id === id)?.name;
  const said = image?.boxes == null ? nameOf(image?.class_id ?? null) : boxesSaid(image.boxes);
  return (
    <Beside pointed={pointed}>
      {image ? (
        <>
          <Thumbnail
            example={{ id: image.example_id, excerpt: image.excerpt }}
            alt={image.name}
            width={96}
            height={96}
          />
          <div>
            <strong>{said ?? stateNames(project)[image.state]}</strong>
            <p>{image.name}</p>
            {image.predicted_class_id !== null && image.confidence !== null && (
              <p>
                {text.predicted(
                  nameOf(image.predicted_class_id) ?? "?",
                  formatChance(image.confidence, 1),
                )}
              </p>
            )}
            {image.round !== null && <p>{t.rounds.title(image.round)}</p>}
          </div>
        </>
      ) : (
        <p>{t.common.loading}</p>
      )}
    </Beside>
  );
}

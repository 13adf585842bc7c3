import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, useEffect, useState } from "react";
import { embeddingImageQuery } from "../../../api/embeddingMap";
import { imageUrl } from "../../../api/images";
import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { formatPercent } from "../../../ui/format";
import type { Pointed } from "../../../ui/map/PlaneMap";
import styles from "./EmbeddingMap.module.css";

const { map: text } = t.pool;
const RESTED_MS = 60;

type MapPreviewProps = { project: Project; version: string; pointed: Pointed };

/** The image under the pointer, beside it. */
export function MapPreview({ project, version, pointed }: MapPreviewProps) {
  const [rested, setRested] = useState<number | null>(null);
  const { poolIndex, at } = pointed;
  // Passing over a hundred images asks for none of them.
  useEffect(() => {
    const timer = setTimeout(() => setRested(poolIndex), RESTED_MS);
    return () => clearTimeout(timer);
  }, [poolIndex]);
  const found = useQuery({
    ...embeddingImageQuery(project.id, version, poolIndex),
    enabled: rested === poolIndex,
  });
  const image = found.data;
  const nameOf = (id: number | null) => project.classes.find((one) => one.id === id)?.name;
  return (
    <div
      className={styles.preview}
      style={{ "--x": `${at.x}px`, "--y": `${at.y}px` } as CSSProperties}
      data-flip={at.x > 240 || undefined}
      aria-hidden="true"
    >
      {image ? (
        <>
          <img src={imageUrl(image.example_id)} alt={image.name} width={96} height={96} />
          <div>
            <strong>{nameOf(image.class_id) ?? t.pool.values.state[image.state]}</strong>
            <p>{image.name}</p>
            {image.predicted_class_id !== null && image.confidence !== null && (
              <p>
                {text.predicted(
                  nameOf(image.predicted_class_id) ?? "?",
                  formatPercent(image.confidence),
                )}
              </p>
            )}
            {image.round !== null && <p>{t.rounds.title(image.round)}</p>}
          </div>
        </>
      ) : (
        <p>{t.common.loading}</p>
      )}
    </div>
  );
}

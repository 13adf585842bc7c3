import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { overlaysQuery } from "../../api/artifacts";
import type { Localization, Overlays } from "../../api/localization";
import type { Method } from "../../api/results";
import type { LabelClass } from "../../api/types";
import { Overlay } from "../../media/image/Overlay";
import { imageUrl } from "../../media/image/urls";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Segments } from "../../ui/Segments";
import { Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./Localization.module.css";
import { methodsOf, ordered } from "./localized";

const { localization: text } = t;
const AT_FIRST = 18;
const SMALL = 128;
const SIZE = 256;

type Shown = "boxes" | "map";
type Order = "given" | "worst" | "best";

type OverlayGalleryProps = { classes: LabelClass[]; result: Localization; artifactId: number };

/** Images that judge, each with its true box, and the one that a method finds. */
export function OverlayGallery({ classes, result, artifactId }: OverlayGalleryProps) {
  const overlays = useQuery(overlaysQuery(artifactId));
  const methods = methodsOf(result);
  const [method, setMethod] = useState<Method>(methods.at(-1) ?? "standard");
  const [shown, setShown] = useState<Shown>("boxes");
  const [order, setOrder] = useState<Order>("given");
  const [all, setAll] = useState(false);
  if (overlays.error && !overlays.data)
    return <Failure error={overlays.error} onRetry={() => overlays.refetch()} />;
  if (!overlays.data) {
    return (
      <Loading>
        <Skeleton height="20rem" />
      </Loading>
    );
  }
  const places = ordered(overlays.data, method, order);
  return (
    <>
      <div className={styles.choices}>
        <Segments
          label={text.method}
          options={methods.map((value) => ({ value, name: text.methods[value] }))}
          value={method}
          onChange={setMethod}
        />
        {result.localize === "cam" && (
          <Segments
            label={text.shown}
            options={(["boxes", "map"] as const).map((value) => ({ value, name: text[value] }))}
            value={shown}
            onChange={setShown}
          />
        )}
        <Segments
          label={text.order}
          options={(["given", "worst", "best"] as const).map((value) => ({
            value,
            name: text.orders[value],
          }))}
          value={order}
          onChange={setOrder}
        />
      </div>
      <div className={styles.gallery}>
        {places.slice(0, all ? places.length : AT_FIRST).map((place) => (
          <Judged
            key={overlays.data.examples[place]}
            overlays={overlays.data}
            place={place}
            method={method}
            hasMap={shown === "map"}
            classes={classes}
          />
        ))}
      </div>
      {!all && places.length > AT_FIRST && (
        <Button size="small" onClick={() => setAll(true)}>
          {text.more}
        </Button>
      )}
    </>
  );
}

type JudgedProps = {
  overlays: Overlays;
  place: number;
  method: Method;
  hasMap: boolean;
  classes: LabelClass[];
};

function Judged({ overlays, place, method, hasMap, classes }: JudgedProps) {
  const found = overlays.methods[method];
  const [width, height] = overlays.sizes[place] ?? [1, 1];
  const [truth, box] = [overlays.truth[place], found?.boxes[place]];
  const square = overlays.squares?.[place];
  const classId = overlays.class_ids[place];
  const name = classes.find((one) => one.id === classId)?.name ?? String(classId);
  const iou = (found?.iou[place] ?? 0).toFixed(2);
  return (
    <figure>
      <div className={styles.picture}>
        <Overlay
          src={imageUrl(overlays.examples[place] ?? 0, SIZE)}
          alt={text.image(name, iou)}
          width={width}
          height={height}
          levels={hasMap ? (found?.maps?.[place] ?? null) : null}
          {...(square && { square })}
          boxes={[
            ...(box ? [{ edges: box, tone: "found" as const }] : []),
            ...(truth ? [{ edges: truth, tone: "truth" as const }] : []),
          ]}
          crisp={Math.max(width, height) <= SMALL}
        />
      </div>
      <figcaption>
        <span>{name}</span>
        <span>{text.iouOf(iou)}</span>
      </figcaption>
    </figure>
  );
}

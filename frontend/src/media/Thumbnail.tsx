import { useMedium } from "./MediumContext";
import { mediaViews } from "./registry";
import type { ThumbnailProps, WholeProps } from "./spec";

/** An example, small. */
export function Thumbnail(props: ThumbnailProps) {
  const { Thumbnail: Shown } = mediaViews[useMedium()];
  return <Shown {...props} />;
}

/** An example, all of it. */
export function Whole(props: WholeProps) {
  const { Whole: Shown } = mediaViews[useMedium()];
  return <Shown {...props} />;
}

import { useLayoutEffect, useRef } from "react";
import type { Small, ThumbnailProps, WholeProps } from "../spec";
import { imageUrl, onScreen, sized } from "./urls";

/** Images of so few pixels are blurs when they are enlarged smoothly. */
const TINY = 40;
const PIXELATED = { imageRendering: "pixelated" } as const;

/** How the tiles of a grid are got; those that are small enough are shown themselves. */
export const TILE = { size: 256, itselfUpTo: 256 } as const;

type Sizes = Pick<ThumbnailProps, "size" | "itselfUpTo">;

/** The longer side; 0 where nobody has said. */
const longer = ({ width, height }: Small): number => Math.max(width ?? 0, height ?? 0);

/** Where a small version of an image is, or the image itself where it is small. */
export function urlOf(example: Small, { size = 128, itselfUpTo = 0 }: Sizes): string {
  const { id, image_url: url } = example;
  if (url === undefined) return imageUrl(id, size);
  const side = longer(example);
  return side > 0 && side <= itselfUpTo ? url : sized(url, size);
}

export function ImageThumbnail(props: ThumbnailProps) {
  const { example, size, itselfUpTo, crispUpTo, marked: _, onState, ...img } = props;
  const shown = useRef<HTMLImageElement>(null);
  // What the browser has already is on the page before it says so.
  useLayoutEffect(() => {
    if (shown.current?.complete && shown.current.naturalWidth > 0) onState?.("ready");
  }, [onState]);
  const side = longer(example);
  const isCrisp = typeof crispUpTo === "number" && side > 0 && side <= crispUpTo;
  return (
    <img
      {...img}
      alt={img.alt ?? ""}
      src={urlOf(example, { ...(size && { size }), ...(itselfUpTo && { itselfUpTo }) })}
      style={isCrisp ? PIXELATED : undefined}
      ref={shown}
      onLoad={({ currentTarget }) => {
        if (crispUpTo === "tiny") drawTinyCrisp(currentTarget);
        onState?.("ready");
      }}
      onError={() => onState?.("failed")}
    />
  );
}

export function ImageWhole({ content, crispUpTo = 0, marked: _, ...img }: WholeProps) {
  const side = longer({ ...content, id: content.example_id });
  const isCrisp = side > 0 && side <= crispUpTo;
  return (
    <img
      {...img}
      alt={img.alt ?? ""}
      src={onScreen(content)}
      style={isCrisp ? PIXELATED : undefined}
    />
  );
}

function drawTinyCrisp(image: HTMLImageElement): void {
  const tiny = Math.max(image.naturalWidth, image.naturalHeight) <= TINY;
  image.style.imageRendering = tiny ? "pixelated" : "";
}

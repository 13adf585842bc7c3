import { locale } from "../language";
import { plural } from "./words";

/** What was dropped, and is not sent. */
export const left = {
  unreadable:
    "Something of it cannot be read: it was moved meanwhile, or this browser may not open it. Nothing was sent; drop it again, or pack it into a zip.",
  files: (count: number) => plural(count, "file", "files"),
  one: (name: string) => `${name} was left where it is.`,
  many: (count: number, kinds: [string, number][]) => {
    const shown = kinds
      .slice(0, 6)
      .map(([ending, of]) => `${of.toLocaleString(locale)} ${ending || "without an ending"}`);
    return `${count.toLocaleString(locale)} files were left where they are: ${shown.join(", ")}${kinds.length > 6 ? ", …" : ""}.`;
  },
  takes:
    "Images are read from JPEG, PNG, WebP, HEIC, AVIF, BMP, GIF, TIFF and Parquet, labels from CSV, JSON Lines and JSON.",
};

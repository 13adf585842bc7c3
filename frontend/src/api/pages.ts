import { queryOptions } from "@tanstack/react-query";
import type { Algorithm } from "./types";

/** Pages of the documentation, as HTML that was made when the app was built. */
const pages = import.meta.glob<string>("../../../docs/algorithms/*-*.md", { import: "default" });

const loaderOf = (kind: string, name: string) =>
  pages[`../../../docs/algorithms/${kind}-${name}.md`];

/** Where an algorithm is explained; null for those of other packages. */
export const pageUrl = ({ kind, name }: Pick<Algorithm, "kind" | "name">): string | null =>
  loaderOf(kind, name) ? `/algorithms/${kind}/${name}` : null;

/** The page as HTML; null when there is none. */
export const pageQuery = (kind: string, name: string) =>
  queryOptions({
    queryKey: ["page", kind, name],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await loaderOf(kind, name)?.()) ?? null,
  });

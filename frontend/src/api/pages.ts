import { queryOptions } from "@tanstack/react-query";
import { t } from "../strings";
import { type AlgorithmWords, loadAlgorithmWords } from "../strings/algorithmWords";
import { language } from "../strings/language";
import { algorithmsQuery } from "./algorithms";
import type { Algorithm } from "./types";

/** Pages of the documentation, as HTML that was made when the app was built. */
const pages = import.meta.glob<string>("../../../docs/algorithms/*-*.md", { import: "default" });

const loaderOf = (kind: string, name: string) =>
  pages[`../../../docs/algorithms/${kind}-${name}.md`];

/** Where an algorithm is explained; null for those of other packages. */
export const pageUrl = ({ kind, name }: Pick<Algorithm, "kind" | "name">): string | null =>
  loaderOf(kind, name) ? `/algorithms/${kind}/${name}` : null;

/** The page as HTML, as far as it can be in the reader's language; null when there is none. */
export const pageQuery = (kind: string, name: string) =>
  queryOptions({
    queryKey: ["page", kind, name, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ client }) => {
      const [html, words] = await Promise.all([loaderOf(kind, name)?.(), loadAlgorithmWords()]);
      if (html === undefined || words === null) return html ?? null;
      // The page is part of the app: it is there without the server, if with a sentence less.
      const catalog = await client.ensureQueryData(algorithmsQuery).catch(() => null);
      const algorithm = catalog?.items.find((one) => one.kind === kind && one.name === name);
      return inWords(html, words, algorithm?.summary);
    },
  });

/** A page with title, summary and table of parameters in the reader's language. */
export function inWords(html: string, words: AlgorithmWords, summary?: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  const known = new Map(Object.entries({ ...words, ...t.setup.page.headings }));
  for (const part of page.querySelectorAll<HTMLElement>("h1, h2, th, td:last-child")) {
    const said = known.get(part.textContent);
    if (said === undefined) continue;
    part.textContent = said;
    part.lang = language;
  }
  const lead = [...(summary ? [summary] : []), t.setup.page.onlyEnglish].map((text) => {
    const paragraph = page.createElement("p");
    paragraph.textContent = text;
    paragraph.lang = language;
    return paragraph;
  });
  page.querySelector("h1")?.after(...lead);
  return page.body.innerHTML;
}

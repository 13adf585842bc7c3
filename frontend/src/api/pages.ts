import { queryOptions } from "@tanstack/react-query";
import { t } from "../strings";
import { type AlgorithmWords, loadAlgorithmWords } from "../strings/algorithmWords";
import { language } from "../strings/language";
import { algorithmsQuery, askAgainFor, untilWorded, type Worded } from "./algorithms";
import type { Algorithm } from "./types";

/** Pages of the documentation, as HTML that was made when the app was built. */
const pages = import.meta.glob<string>("../../../docs/algorithms/*-*.md", { import: "default" });

const loaderOf = (kind: string, name: string) =>
  pages[`../../../docs/algorithms/${kind}-${name}.md`];

/** Where an algorithm is explained; null for those of other packages. */
export const pageUrl = ({ kind, name }: Pick<Algorithm, "kind" | "name">): string | null =>
  loaderOf(kind, name) ? `/algorithms/${kind}/${name}` : null;

type Page = Worded & { html: string };

/** The page as HTML, as far as it can be in the reader's language; null when there is none. */
export const pageQuery = (kind: string, name: string) =>
  queryOptions({
    queryKey: ["page", kind, name, language],
    queryFn: async ({ client }): Promise<Page | null> => {
      const [html, words] = await Promise.all([
        loaderOf(kind, name)?.(),
        loadAlgorithmWords().catch(() => undefined),
      ]);
      if (html === undefined) return null;
      if (!words) return { html, isWorded: words !== undefined };
      // The page is part of the app: it is there without the server, if with a sentence less.
      const catalog = await client.fetchQuery(algorithmsQuery).catch(() => null);
      const algorithm = catalog?.items.find((one) => one.kind === kind && one.name === name);
      return { html: inWords(html, words, algorithm?.summary), isWorded: true };
    },
    staleTime: ({ state }) => untilWorded(state.data),
    refetchInterval: ({ state }) => askAgainFor(state.data),
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

import { type Params, useMatches } from "react-router";

/** What a page within a project is called; exported as `handle` by its route. */
export type PageHandle = { title: (params: Params) => string };

/** The name of the page that is shown, where its route gives one. */
export function usePageTitle(): string | undefined {
  const match = useMatches().at(-1);
  return (match?.handle as PageHandle | undefined)?.title(match?.params ?? {});
}

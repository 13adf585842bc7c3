import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { type ExamplePages, poolQueries, withChanged } from "../../api/pool";
import { projectQuery } from "../../api/projects";
import type { Example, Filters } from "../../api/types";

/** How long nothing more is to be said until counts and colours are read again, which takes long in large pools. */
const REST_MS = 1_000;

/** Filters of which others match once something has been said of images. */
const BY_SAID = [
  "state",
  "verdict",
  "class_id",
  "annotator_id",
  "source",
  "disagreement",
  "note",
] as const;

/** Shows in the pages that there are what has become of images. */
export function showChanged(
  client: QueryClient,
  projectId: number,
  ids: ReadonlySet<number>,
  change: (example: Example) => Example,
): void {
  const queryKey = [...poolQueries.all(projectId), "examples"];
  for (const { queryKey: key, promise } of client.getQueryCache().findAll({ queryKey })) {
    const apply = () => {
      client.setQueryData<ExamplePages>(key, (data) => withChanged(data, ids, change));
    };
    apply();
    // What is on its way puts the pages back as they were when it set out.
    promise?.then(apply, () => {});
  }
}

/**
 * Tells the page what has become of images: it need not load anew for that.
 *
 * @returns A function of their ids and what is to be shown of each from now on.
 */
export function useChanged(projectId: number) {
  const client = useQueryClient();
  // Not stopped where the page is left: the project is shown elsewhere, too.
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readAgain = () => {
    const key = poolQueries.all(projectId);
    void client.invalidateQueries({
      queryKey: [...key, "count"],
      predicate: ({ queryKey }) =>
        BY_SAID.some((name) => (queryKey.at(-1) as Filters)[name] !== undefined),
    });
    for (const what of ["colours", "on-map"]) {
      void client.invalidateQueries({ queryKey: [...key, what] });
    }
    void client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  };
  return (ids: readonly number[], change?: (example: Example) => Example): void => {
    const which = new Set(ids);
    const key = poolQueries.all(projectId);
    if (change) showChanged(client, projectId, which, change);
    void client.invalidateQueries({
      queryKey: [...key, "example"],
      predicate: ({ queryKey }) => which.has(queryKey.at(-1) as number),
    });
    clearTimeout(rest.current);
    rest.current = setTimeout(readAgain, REST_MS);
  };
}

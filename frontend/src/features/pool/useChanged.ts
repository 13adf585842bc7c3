import { useQueryClient } from "@tanstack/react-query";
import { type ExamplePages, poolQueries, withChanged } from "../../api/pool";
import { projectQuery } from "../../api/projects";
import type { Example } from "../../api/types";

/**
 * Tells the page what has become of images: it need not load anew for that.
 *
 * @returns A function of their ids and what is to be shown of each from now on.
 */
export function useChanged(projectId: number) {
  const client = useQueryClient();
  return (ids: readonly number[], change?: (example: Example) => Example): void => {
    const which = new Set(ids);
    const key = poolQueries.all(projectId);
    if (change) {
      for (const { queryKey, promise } of client
        .getQueryCache()
        .findAll({ queryKey: [...key, "examples"] })) {
        const apply = () => {
          client.setQueryData<ExamplePages>(queryKey, (data) => withChanged(data, which, change));
        };
        apply();
        // What is on its way puts the pages back as they were when it set out.
        promise?.then(apply, () => {});
      }
    }
    void client.invalidateQueries({
      queryKey: [...key, "example"],
      predicate: ({ queryKey }) => which.has(queryKey.at(-1) as number),
    });
    for (const what of ["count", "colours", "on-map"]) {
      void client.invalidateQueries({ queryKey: [...key, what] });
    }
    void client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  };
}

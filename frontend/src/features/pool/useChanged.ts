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
    if (change) {
      client.setQueriesData<ExamplePages>(
        { queryKey: [...poolQueries.all(projectId), "examples"] },
        (data) => withChanged(data, new Set(ids), change),
      );
    }
    for (const what of ["count", "example", "colours", "on-map"]) {
      void client.invalidateQueries({ queryKey: [...poolQueries.all(projectId), what] });
    }
    void client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  };
}

import { useQuery } from "@tanstack/react-query";
import { useTitles } from "../../api/algorithms";
import { jobsOfKindQuery } from "../../api/rounds";
import { t } from "../../strings";
import { formatDateTime } from "../format";

/** Jobs that have chosen among instructions, the newest first, and what to call them. */
export function useSelections(projectId: number, enabled = true) {
  const titleOf = useTitles("instruction_selection");
  const { data } = useQuery({ ...jobsOfKindQuery(projectId, "select_instructions"), enabled });
  return (data?.items ?? [])
    .filter(({ state, dry_run }) => state === "succeeded" && !dry_run)
    .map(({ id, params, created_at }) => ({
      id,
      name: t.selection.compareOption(
        id,
        titleOf(String(params.method)),
        formatDateTime(created_at),
      ),
    }));
}

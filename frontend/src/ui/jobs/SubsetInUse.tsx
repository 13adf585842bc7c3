import { useQuery } from "@tanstack/react-query";
import { useTitles } from "../../api/algorithms";
import { subsetsQuery } from "../../api/subsets";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../Button";
import { Notice } from "../State";

/** Names the subset that rounds train on; nothing where they train on all labels. */
export function SubsetInUse({ project }: { project: Project }) {
  const id = project.settings?.subset ?? null;
  const found = useQuery({ ...subsetsQuery(project.id), enabled: id !== null });
  const titleOf = useTitles("pruning");
  const subset = found.data?.items.find((one) => one.id === id);
  if (!subset) return null;
  const page = subset.job_id === null ? "subsets" : `jobs/${subset.job_id}`;
  return (
    <Notice
      actions={
        <ButtonLink to={`/projects/${project.id}/${page}`} size="small">
          {t.jobs.showResult.prune}
        </ButtonLink>
      }
    >
      {t.jobs.subsets.inUse(subset.id, titleOf(subset.method), subset.kept, subset.labeled)}
    </Notice>
  );
}

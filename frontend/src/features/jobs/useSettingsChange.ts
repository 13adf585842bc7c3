import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { projectQuery, updateProject } from "../../api/projects";
import type { Project, Settings } from "../../api/types";

/** Changes some settings of a project, and shows the project as it then is. */
export function useSettingsChange(
  projectId: number,
): UseMutationResult<Project, Error, Partial<Settings>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: Partial<Settings>) => updateProject(projectId, { settings }),
    onSuccess: (changed) => client.setQueryData(projectQuery(projectId).queryKey, changed),
  });
}

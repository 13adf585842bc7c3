import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { projectQuery } from "../api/projects";
import type { Project } from "../api/types";

export function useProjectId(): number {
  return Number(useParams().projectId);
}

export const useProject = (): UseQueryResult<Project> => useQuery(projectQuery(useProjectId()));

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { projectQuery } from "../api/projects";
import type { Project } from "../api/types";

/** The id that a part of a path gives; null where it is no whole number above 0, and so nothing's. */
export function idOf(part: string | undefined): number | null {
  const id = /^\d+$/.test(part ?? "") ? Number(part) : 0;
  return id > 0 && Number.isSafeInteger(id) ? id : null;
}

export function useProjectId(): number {
  return Number(useParams().projectId);
}

export const useProject = (): UseQueryResult<Project> => useQuery(projectQuery(useProjectId()));

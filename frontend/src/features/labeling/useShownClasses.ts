import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { projectQuery } from "../../api/projects";
import type { LabelClass, Project } from "../../api/types";
import { usePainted } from "../../ui/usePainted";

/** The classes that a page shows, and their version, which goes with every answer. */
export type ShownClasses = { classes: LabelClass[]; version: number };

/**
 * Tells which classes were on screen at a time.
 *
 * @param heard The version that the server has named last. If it is newer the project is read again: the
 *   network may keep events from us.
 */
export function useShownClasses(
  project: Pick<Project, "id" | "classes" | "classes_version">,
  heard: number | undefined,
): (at: number) => ShownClasses {
  const { id, classes, classes_version: version } = project;
  const client = useQueryClient();
  const isOld = heard !== undefined && heard > version;
  useEffect(() => {
    if (isOld) void client.invalidateQueries({ queryKey: projectQuery(id).queryKey, exact: true });
  }, [isOld, id, client]);
  return usePainted(useMemo(() => ({ classes, version }), [classes, version]));
}

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { importsQuery } from "./imports";
import { projectQuery, projectsQuery } from "./projects";
import { reviewsQuery } from "./reviews";
import { jobsQuery } from "./rounds";
import type { Job } from "./types";

const KINDS = ["job", "round", "project", "pool", "review"] as const;
export type ProjectEvent = (typeof KINDS)[number];

/** The changed fields of a job. */
type JobChange = Pick<Job, "id"> & Partial<Job>;

/**
 * Listen to a project's events while the page is visible.
 *
 * A hidden page lets go of its connection: browsers allow six per server, and each tab would keep one.
 */
export function listenToProject(
  projectId: number,
  listener: (kind: ProjectEvent, data: unknown) => void,
): () => void {
  let source: EventSource | null = null;
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource(`/api/projects/${projectId}/events`);
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        listener(kind, JSON.parse((event as MessageEvent<string>).data));
      });
    }
  };
  const close = () => {
    source?.close();
    source = null;
  };
  const onVisibility = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", onVisibility);
  open();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    close();
  };
}

/** Note what changed of a job; false when the job was not known or has changed its state. */
function noteJob(client: QueryClient, projectId: number, change: JobChange): boolean {
  // Progress of a job that no page shows changes nothing else.
  let minor = change.state === undefined;
  // The key of all jobs is the beginning of the keys of those of one kind.
  for (const { queryKey } of [jobsQuery(projectId), importsQuery(projectId)]) {
    client.setQueriesData<{ items: Job[]; next_cursor: number | null }>({ queryKey }, (page) => {
      const known = page?.items.find((job) => job.id === change.id);
      if (!page || !known) return page;
      minor = known.state === (change.state ?? "running");
      const items = page.items.map((job) => (job === known ? { ...job, ...change } : job));
      return { ...page, items };
    });
  }
  return minor;
}

/** Keep what is known of a project current for as long as the component is mounted. */
export function useProjectEvents(projectId: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const refresh = () => {
      client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    };
    return listenToProject(projectId, (kind, data) => {
      if (kind === "job" && noteJob(client, projectId, data as JobChange)) return;
      if (kind === "review") {
        client.invalidateQueries({ queryKey: reviewsQuery(projectId).queryKey });
      } else {
        refresh();
      }
    });
  }, [client, projectId]);
}

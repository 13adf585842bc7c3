import { type Query, type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Listeners } from "../lib/listeners";
import { agreementQuery } from "./agreement";
import { guidesQuery } from "./guides";
import { homeQuery } from "./home";
import { importsQuery } from "./imports";
import { membersQuery, projectQuery, projectsQuery } from "./projects";
import { secondsSinceAsked } from "./queryClient";
import { reviewsQuery } from "./reviews";
import { jobsQuery } from "./rounds";
import { snapshotsQuery } from "./snapshots";
import type { Job } from "./types";
import { webhooksQuery } from "./webhooks";

/** Lists of projects. */
const LISTED: QueryKey[] = [projectsQuery.queryKey, homeQuery.queryKey];

/**
 * How often lists of projects are read without any event.
 *
 * Answers and jobs, of which there are many, tell them nothing.
 */
export const LISTS_MS = 60_000;

/** The project's own queries, most of which have its key as the beginning of theirs, and the lists it is in. */
const allOf = (id: number): QueryKey[] => [projectQuery(id).queryKey, ...LISTED];

/** What is read again when the server tells of a change. `core/events.py` lists the same topics. */
export const HEARD = {
  /** Anything, also whatever was missed while nobody listened. */
  project: (id: number) => [
    ...allOf(id),
    guidesQuery(id).queryKey,
    agreementQuery(id).queryKey,
    ["webhooks"],
  ],
  round: allOf,
  job: allOf,
  pool: allOf,
  review: (id: number) => [reviewsQuery(id).queryKey, homeQuery.queryKey],
  guide: (id: number) => [guidesQuery(id).queryKey],
  // What it labels changes the counts of the project.
  certificate: allOf,
  // The project warns of annotators or receivers that it lacks.
  member: (id: number) => [membersQuery(id).queryKey, ...allOf(id)],
  snapshot: (id: number) => [snapshotsQuery(id).queryKey],
  webhook: (id: number) => [webhooksQuery(id).queryKey, projectQuery(id).queryKey, ["webhooks"]],
} as const satisfies Record<string, (id: number) => QueryKey[]>;

export type ProjectEvent = keyof typeof HEARD;
export const TOPICS = Object.keys(HEARD) as ProjectEvent[];

type Told = [kind: ProjectEvent, data: unknown];
type Listener = (...told: Told) => void;

/** The changed fields of a job. */
type JobChange = Pick<Job, "id"> & Partial<Job>;

/** How long to wait before a stream is opened again that the server, or what stands before it, refused. */
const REOPEN_MS = 1_000;
const REOPEN_AT_MOST_MS = 30_000;

/**
 * Events of the server, while the page is visible and somebody listens.
 *
 * A hidden page lets go of its connection: browsers allow six per server, and each tab would keep one.
 * Whenever it is opened, the server says first that everything is to be read again, and for how long nothing had
 * changed by then.
 */
class Stream {
  readonly listeners = new Listeners<Told>();
  readonly #url: string;
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #heardAt: number | null = null;

  constructor(url: string) {
    this.#url = url;
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#open();
  }

  /** For how long nothing has been heard; null unless it is open, and has said what comes first. */
  get quietSeconds(): number | null {
    return this.#heardAt === null ? null : (performance.now() - this.#heardAt) / 1000;
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#shut();
  }

  readonly #open = (): void => {
    if (this.#source || document.hidden) return;
    const source = new EventSource(this.#url);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
    };
    source.onerror = () => {
      this.#heardAt = null;
      // Browsers try again by themselves when a connection breaks, but not after an answer such as 502.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#shut();
      const pause = Math.min(REOPEN_MS * 2 ** this.#failures, REOPEN_AT_MOST_MS);
      this.#failures += 1;
      this.#timer = setTimeout(this.#open, pause * (0.75 + Math.random() / 2));
    };
    for (const kind of TOPICS) {
      source.addEventListener(kind, (event) => {
        this.#heardAt = performance.now();
        const data = JSON.parse((event as MessageEvent<string>).data);
        this.listeners.tell(kind, data);
      });
    }
  };

  #shut(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    this.#heardAt = null;
  }

  readonly #onVisibility = (): void => (document.hidden ? this.#shut() : this.#open());
}

const streams = new Map<string, Stream>();

/** Listen to a project's events while the page is visible. */
export const listenToProject = (projectId: number, listener: Listener): (() => void) =>
  listen(`/api/projects/${projectId}/events`, listener);

/** All who listen to the same share a connection. */
function listen(url: string, listener: Listener): () => void {
  const known = streams.get(url);
  const stream = known ?? new Stream(url);
  streams.set(url, stream);
  const leave = stream.listeners.subscribe(listener);
  let listens = true;
  // Those who were first have been told to read everything; all will be when it opens.
  const quiet_seconds = stream.quietSeconds;
  if (quiet_seconds !== null)
    queueMicrotask(() => listens && listener("project", { quiet_seconds }));
  return () => {
    listens = false;
    leave();
    if (stream.listeners.size > 0) return;
    stream.close();
    if (streams.get(url) === stream) streams.delete(url);
  };
}

/** Note what changed of a job; false when the job was not known or has changed its state. */
function noteJob(client: QueryClient, projectId: number, change: JobChange): boolean {
  // Progress of a job that no page shows changes nothing else.
  let minor = change.id !== undefined && change.state === undefined;
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

/** Read again what is shown of these, unless it was asked for since nothing has changed any longer. */
function readAgain(client: QueryClient, keys: QueryKey[], told: unknown): void {
  const { quiet_seconds: quiet = 0 } = told as { quiet_seconds?: number };
  const predicate = (query: Query) => secondsSinceAsked(query) >= quiet;
  for (const queryKey of keys) void client.invalidateQueries({ queryKey, predicate });
}

/** Keep what is known of a project current for as long as the component is mounted; null listens to none. */
export function useProjectEvents(projectId: number | null): void {
  const client = useQueryClient();
  useEffect(() => {
    if (projectId === null) return;
    return listenToProject(projectId, (kind, data) => {
      if (kind === "job" && noteJob(client, projectId, data as JobChange)) return;
      readAgain(client, HEARD[kind](projectId), data);
    });
  }, [client, projectId]);
}

/** Keep the list of one's projects, and what waits in them, current for as long as the component is mounted. */
export function useListEvents(): void {
  const client = useQueryClient();
  useEffect(() => listen("/api/events", (_, data) => readAgain(client, LISTED, data)), [client]);
}

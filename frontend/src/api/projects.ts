import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client, patiently } from "./client";
import { everyPage } from "./everyPage";
import type { components } from "./schema";
import type { ClassInput, ExportFormat, Goal, Project, ProjectRole, Settings } from "./types";

type ProjectOut = components["schemas"]["ProjectOut"];

const at = (id: number) => ({ params: { path: { project_id: id } } });

/** The API leaves settings untyped, since annotators get none; here they are typed, or null. */
function typed({ settings, ...project }: ProjectOut): Project {
  const shown = Object.keys(settings).length > 0;
  // Many at once can be said of classes only.
  const modes = project.task === "classification" ? project.modes : (["single"] as const);
  return { ...project, modes: [...modes], settings: shown ? (settings as Settings) : null };
}

const projectsAfter = (cursor: number | null) =>
  call(client.GET("/api/projects", { params: { query: { cursor } } }));

/** The list of projects, page by page. */
export const projectsQuery = infiniteQueryOptions({
  queryKey: ["projects"],
  initialPageParam: null as number | null,
  queryFn: ({ pageParam }) => projectsAfter(pageParam),
  getNextPageParam: (page) => page.next_cursor,
});

/** Every project, to choose from; its key begins with that of the list. */
export const everyProjectQuery = queryOptions({
  queryKey: [...projectsQuery.queryKey, "every"],
  queryFn: () => everyPage(projectsAfter),
});

/** Its key is the beginning of the keys of everything in the project. */
export const projectQuery = (id: number) =>
  queryOptions({
    queryKey: ["project", id],
    queryFn: async () => typed(await call(client.GET("/api/projects/{project_id}", at(id)))),
  });

/** Whether every image of a class is wanted: how much is found counts, not how right the model is. */
export const findsAll = ({ settings }: Project): boolean => settings?.goal === "find_all";

/** Whether nothing is left to ask about. */
export const isFullyLabeled = ({ counts }: Project): boolean =>
  counts.pool > 0 && counts.unlabeled + counts.queried === 0;

/** Whether anything has a label, which may have come with the images. */
export const isLabeled = ({ counts }: Project): boolean =>
  counts.labeled_in + counts.labeled_ood > 0;

/** What stays as it is in a project. */
export type ProjectKind = Pick<Project, "medium" | "task">;

export const createProject = async (name: string, kind: ProjectKind): Promise<Project> => {
  const body = { name, ...kind, guidelines: "", classes: [] };
  return typed(await call(client.POST("/api/projects", { body })));
};

export type ProjectChange = {
  name?: string;
  guidelines?: string;
  classes?: ClassInput[];
  /** The version that all but the settings was made from. */
  setup_version?: string;
  settings?: Partial<Settings>;
};

/** Browsers let this much of a request outlive its page, in bytes; a character takes three at most. */
const OUTLIVES = 60_000 / 3;

export const updateProject = async (id: number, body: ProjectChange): Promise<Project> => {
  const keepalive = JSON.stringify(body).length < OUTLIVES;
  return typed(
    await call(client.PATCH("/api/projects/{project_id}", { ...at(id), body, keepalive })),
  );
};

export type ProjectAction = "start" | "pause" | "resume";

export const actOnProject = async (id: number, action: ProjectAction): Promise<Project> =>
  typed(await call(client.POST(`/api/projects/{project_id}/${action}`, at(id))));

export const deleteProject = (id: number) =>
  call(client.DELETE("/api/projects/{project_id}", { ...at(id), fetch: patiently }));

export const membersQuery = (id: number) =>
  queryOptions({
    queryKey: ["project", id, "members"],
    queryFn: () => call(client.GET("/api/projects/{project_id}/members", at(id))),
  });

const member = (id: number, userId: number) => ({
  params: { path: { project_id: id, user_id: userId } },
});

/** Lets somebody in, or gives a member another role. */
export const putMember = (id: number, userId: number, role: ProjectRole) =>
  call(
    client.PUT("/api/projects/{project_id}/members/{user_id}", {
      ...member(id, userId),
      body: { role },
    }),
  );

export const removeMember = (id: number, userId: number) =>
  call(client.DELETE("/api/projects/{project_id}/members/{user_id}", member(id, userId)));

/** Settings of a new project that is after this. */
export const defaultsQuery = (goal: Goal, medium: Project["medium"]) =>
  queryOptions({
    queryKey: ["settings", "defaults", goal, medium],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await call(
        client.GET("/api/settings/defaults", { params: { query: { goal, medium } } }),
      )) as Settings,
  });

/** The classes as exports number them, and how many images show each. */
export const exportedClassesQuery = (id: number) =>
  queryOptions({
    queryKey: ["project", id, "exported-classes"],
    queryFn: async () =>
      (await call(client.GET("/api/projects/{project_id}/export/classes", at(id)))).items,
  });

/** The formats that an export can have, and why some cannot hold what the project does. */
export const exportFormatsQuery = (id: number) =>
  queryOptions({
    queryKey: ["project", id, "export-formats"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await call(client.GET("/api/projects/{project_id}/export/formats", at(id)))).items,
  });

export type ExportOptions = {
  effective?: boolean;
  unlabeled?: boolean;
  images?: boolean;
  bom?: boolean;
  /** Without labels of the model. */
  people?: boolean;
  /** The name of a snapshot. */
  snapshot?: string;
  /** Filters of the pool, as an address has them: only what matches. */
  only?: string;
};

export const exportUrl = (
  id: number,
  format: ExportFormat,
  options: ExportOptions = {},
): string => {
  const { effective = false, unlabeled = false, images = true, bom = false } = options;
  const { people = false, snapshot, only } = options;
  const query = new URLSearchParams(only);
  query.set("format", format);
  if (effective) query.set("effective", "true");
  if (unlabeled) query.set("unlabeled", "true");
  if (!images) query.set("images", "false");
  if (bom && format === "csv") query.set("bom", "true");
  if (people) query.set("people_only", "true");
  if (snapshot) query.set("snapshot", snapshot);
  return `/api/projects/${id}/export?${query}`;
};

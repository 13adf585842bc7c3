import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { sendFile } from "./sendFile";
import type { BucketImport, ImportStart, Job, Packed, Split } from "./types";

const importsAfter = (projectId: number, cursor: number | null) =>
  call(
    client.GET("/api/projects/{project_id}/imports", {
      params: { path: { project_id: projectId }, query: { cursor } },
    }),
  );

/** The latest imports, and all plans that wait. */
export const importsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "imports"],
    queryFn: () => importsAfter(projectId, null),
  });

/** Imports of any age, page by page. */
export const importPagesQuery = (projectId: number) =>
  infiniteQueryOptions({
    queryKey: ["project", projectId, "import-pages"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) => importsAfter(projectId, pageParam),
    getNextPageParam: (page) => page.next_cursor,
  });

/** Where images may be taken from without being copied; rarely changes. */
export const importLocationsQuery = queryOptions({
  queryKey: ["import-locations"],
  queryFn: () => call(client.GET("/api/import-locations")),
  staleTime: 300_000,
});

/** Plan an import of images that stay where they are. */
export const planBucket = (projectId: number, body: BucketImport) =>
  call(
    client.POST("/api/projects/{project_id}/imports/bucket", {
      params: { path: { project_id: projectId }, query: { dry_run: true } },
      body,
    }),
  );

/** Start a planned import with what was chosen. */
export const startImport = (projectId: number, jobId: number, body: ImportStart) =>
  call(
    client.POST("/api/projects/{project_id}/imports/{job_id}/start", {
      params: { path: { project_id: projectId, job_id: jobId } },
      body,
    }),
  );

export const discardImport = (projectId: number, jobId: number) =>
  call(
    client.DELETE("/api/projects/{project_id}/imports/{job_id}", {
      params: { path: { project_id: projectId, job_id: jobId } },
    }),
  );

export const importReportUrl = (projectId: number, jobId: number): string =>
  `/api/projects/${projectId}/imports/${jobId}/report.csv`;

/** What a file is called once it is not compressed any more: a.csv of a.csv.gz. */
export const plainName = (name: string): string =>
  name.replace(/\.(tgz|tbz2?|txz)$/i, ".tar").replace(/\.(gz|bz2|xz)$/i, "");

/** Whether it is a plan that is made, and waits for somebody to start or discard it. */
export const isPlanned = ({ dry_run, state }: Pick<Job, "dry_run" | "state">): boolean =>
  dry_run && state === "succeeded";

/** How an import is listed: what it is, and what it is called. */
export type Listed = { name: string; kind: SourceKind };
export type SourceKind =
  | "bucket"
  | "server"
  | "folder"
  | "images"
  | "zip"
  | "tar"
  | "parquet"
  | "labels"
  | "image";

const BY_ENDING: Record<string, SourceKind> = {
  zip: "zip",
  tar: "tar",
  parquet: "parquet",
  csv: "labels",
  tsv: "labels",
  jsonl: "labels",
  json: "labels",
};

export function listed({ id, params }: Pick<Job, "id" | "params">): Listed {
  const { filename, location, packed } = params as Partial<Record<string, string>>;
  const name = filename ?? `#${id}`;
  if (location) return { name, kind: location.startsWith("file:") ? "server" : "bucket" };
  if (packed === "folder" || packed === "images") {
    return { name: name.replace(/\.zip$/i, ""), kind: packed };
  }
  const ending = plainName(name).split(".").at(-1)?.toLowerCase() ?? "";
  return { name, kind: BY_ENDING[ending] ?? "image" };
}

/** Which column names the images, and the number of the first class, where that was said. */
export type TableChoice = {
  key: string | null;
  countFrom: number | null;
  /** The model whose predictions the table holds, and the column of how sure it is. */
  model?: string | null;
  sure?: string | null;
};

export type Upload = {
  projectId: number;
  body: Blob;
  filename: string;
  split: Split;
  annotations: string[];
  /** The column with the texts, where it was named. */
  textColumn?: string | undefined;
  /** The column with the labels, where it was named. */
  labelColumn?: string | undefined;
  /** What else is said of a table's columns. */
  table?: TableChoice | undefined;
  /** What was zipped to be sent. */
  packed: Packed | null;
  /** Whether to plan the import, instead of starting it. */
  dryRun: boolean;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
};

/** Upload one file as an import. */
export function uploadImport(upload: Upload): Promise<Job> {
  const { projectId, body, filename, split, annotations, textColumn, labelColumn } = upload;
  const { table, packed, dryRun, onProgress, signal } = upload;
  const query = new URLSearchParams({ filename, split });
  if (dryRun) query.set("dry_run", "true");
  if (packed) query.set("packed", packed);
  for (const column of annotations) query.append("annotation_column", column);
  if (textColumn) query.set("text_column", textColumn);
  if (labelColumn) query.set("label_column", labelColumn);
  if (table?.key) query.set("key_column", table.key);
  if (table?.model) query.set("predictions", table.model);
  if (table?.model && table.sure) query.set("probability_column", table.sure);
  if (table && table.countFrom !== null) query.set("count_from", String(table.countFrom));
  return sendFile({ url: `/api/projects/${projectId}/imports?${query}`, body, onProgress, signal });
}

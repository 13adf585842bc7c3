import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { sendFile } from "./sendFile";
import type { Weights } from "./types";

const ASK_AGAIN_MS = 2_000;

/** Weights that were uploaded; asked for again while one is being checked. */
export const weightsQuery = queryOptions({
  queryKey: ["weights"],
  queryFn: () => call(client.GET("/api/weights")),
  refetchInterval: ({ state }) =>
    (state.data?.items.some((one) => one.state === "checking") ?? false) && ASK_AGAIN_MS,
});

const NAMED = /\b(?:For|of) (timm|torchvision|open_clip) (?!there\b)([\w.-]+)/;
const LIBRARY = /\bopen_clip\b/;

/** What a sentence of the server says that weights are missing of, as the page takes it on which they are added. */
export function missingIn(sentence: string): URLSearchParams | null {
  const [, library, architecture = ""] = NAMED.exec(sentence) ?? [];
  if (library) return new URLSearchParams({ library, architecture });
  const [captions] = LIBRARY.exec(sentence) ?? [];
  return captions ? new URLSearchParams({ library: captions }) : null;
}

export const removeWeights = (id: number) =>
  call(client.DELETE("/api/weights/{weights_id}", { params: { path: { weights_id: id } } }));

export type WeightsUpload = {
  file: File;
  name: string;
  library: Weights["library"];
  architecture: string;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
};

export function uploadWeights(upload: WeightsUpload): Promise<Weights> {
  const { file, name, library, architecture, onProgress, signal } = upload;
  const query = new URLSearchParams({ filename: file.name, library, architecture });
  if (name.trim()) query.set("name", name.trim());
  return sendFile({ url: `/api/weights?${query}`, body: file, onProgress, signal });
}

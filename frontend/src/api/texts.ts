import { queryOptions } from "@tanstack/react-query";
import { arrived, TIMEOUT_MS } from "./client";
import { ApiError } from "./errors";

/** How many characters of a text pages are told: one that is shorter is told whole. */
const EXCERPT = 300;

/** Where all of the text of an example is, as in `image_url`. */
export const textUrl = (id: number): string => `/api/examples/${id}/image?original=true`;

type Told = { text?: string | null; excerpt?: string | null; members?: readonly unknown[] | null };

/** The text, if a page was told all of it. What came with others of its group is there already. */
export function toldWhole(told: Told): string | null {
  if (told.members?.length) return told.text ?? told.excerpt ?? "";
  if (typeof told.text === "string") return told.text;
  // Characters as the server counts them, of which some take two units here.
  if (typeof told.excerpt === "string" && [...told.excerpt].length < EXCERPT) return told.excerpt;
  return null;
}

/** All of a text; throws `ApiError` or `NetworkError`. */
export async function fetchText(url: string): Promise<string> {
  const response = await arrived(fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }));
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  return arrived(response.text());
}

/** A text never changes. */
export const textQuery = (url: string) =>
  queryOptions({
    queryKey: ["text", url],
    queryFn: () => fetchText(url),
    staleTime: Number.POSITIVE_INFINITY,
  });

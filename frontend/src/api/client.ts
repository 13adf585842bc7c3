import createClient from "openapi-fetch";
import { noteServerTime } from "./clock";
import { ApiError, isUnauthenticated, isUnsettled, NetworkError, type Problem } from "./errors";
import type { paths } from "./schema";
import { announceSignedOut, announceUnsettled } from "./session";

/** A request without an answer for this long counts as a network failure. */
export const TIMEOUT_MS = 30_000;

const within =
  (milliseconds: number) =>
  async (request: Request): Promise<Response> => {
    // One that is given here takes the place of the request's own.
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(milliseconds)]);
    const response = await fetch(request, { signal });
    noteServerTime(response);
    return response;
  };

/** The `fetch` of a call that goes through all of a project; a proxy waits as long (docs/admins/servers.md). */
export const patiently = within(600_000);

/** Typed by the committed `openapi.json`; wrap each call in `call`. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: "same-origin",
  fetch: within(TIMEOUT_MS),
});

/** What has come; throws `NetworkError` where nothing has, or only half, unless it was called off. */
export const arrived = <T>(pending: Promise<T>): Promise<T> =>
  pending.catch((error) => {
    throw error?.name === "AbortError" ? error : new NetworkError(error);
  });

type Result<T> = { data?: T; error?: unknown; response: Response };

/** The body of a successful response; throws `ApiError` or `NetworkError`. */
export async function call<T>(pending: Promise<Result<T>>): Promise<T> {
  const { data, error: body, response } = await arrived(pending);
  if (response.ok) return data as T;
  const error = new ApiError(response.status, (body ?? {}) as Partial<Problem>);
  if (isUnauthenticated(error)) announceSignedOut();
  if (isUnsettled(error)) announceUnsettled();
  throw error;
}

import createClient from "openapi-fetch";
import { noteServerTime } from "./clock";
import { ApiError, isUnauthenticated, isUnsettled, NetworkError, type Problem } from "./errors";
import type { paths } from "./schema";
import { announceSignedOut, announceUnsettled } from "./session";

/** A request without an answer for this long counts as a network failure. */
const TIMEOUT_MS = 30_000;

const within =
  (milliseconds: number) =>
  async (request: Request): Promise<Response> => {
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(milliseconds) });
      noteServerTime(response);
      return response;
    } catch (error) {
      throw new NetworkError(error);
    }
  };

/** The `fetch` of a call that goes through all of a project; a proxy waits as long (docs/admins/servers.md). */
export const patiently = within(600_000);

/** Typed by the committed `openapi.json`; wrap each call in `call`. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: "same-origin",
  fetch: within(TIMEOUT_MS),
});

type Result<T> = { data?: T; error?: unknown; response: Response };

/** The body of a successful response; throws `ApiError` or `NetworkError`. */
export async function call<T>(pending: Promise<Result<T>>): Promise<T> {
  const { data, error: body, response } = await pending;
  if (response.ok) return data as T;
  const error = new ApiError(response.status, (body ?? {}) as Partial<Problem>);
  if (isUnauthenticated(error)) announceSignedOut();
  if (isUnsettled(error)) announceUnsettled();
  throw error;
}

import { t } from "../strings";
import type { Fault } from "../strings/faults";
import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];

/** Every problem of the server has a code; this stands in where something else has answered. */
const codeless = (status: number): string => `http_${status}`;

/** An answer of the server that says no, read from `application/problem+json`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  /** What is wrong with single fields, where it is told of these. */
  readonly faults: readonly Fault[];

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail || problem.title || t.common.ofProxy(status));
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? codeless(status);
    this.field = problem.field ?? null;
    this.faults = problem.errors ?? [];
  }
}

/** No answer came back: the network or the server is away. */
export class NetworkError extends Error {
  constructor(cause?: unknown) {
    super(t.common.unreachable, { cause });
    this.name = "NetworkError";
  }
}

/** Said of somebody who signs in, and not of somebody who has to. */
const SIGNING_IN = new Set(["bad_credentials", "code_required", "wrong_code"]);

export const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && !SIGNING_IN.has(error.code);

/** Said of somebody who has to do something else first, whatever they ask for. */
const UNSETTLED = new Set(["password_change_required", "second_factor_setup_required"]);

export const isUnsettled = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && UNSETTLED.has(error.code);

/** Whether it is said of who asks, and nothing of what is asked. */
export const isOfCaller = (error: unknown): boolean =>
  isUnauthenticated(error) || isUnsettled(error);

export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404;

/** Whether something in front of the server said no in its place, as a proxy does while that is away. */
export const isOfProxy = (error: ApiError): boolean => error.code === codeless(error.status);

/** Whether sending the same request again may succeed without anyone's doing. */
export const isTransient = (error: unknown): boolean =>
  error instanceof NetworkError ||
  (error instanceof ApiError && (error.status >= 500 || [408, 425, 429].includes(error.status)));

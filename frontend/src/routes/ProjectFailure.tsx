import { isNotFound } from "../api/errors";
import { Failure } from "../ui/State";
import { NotFoundPage } from "./ErrorPages";

/** Why a project is not shown: it does not exist for this user, or something went wrong. */
export function ProjectFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (isNotFound(error)) return <NotFoundPage />;
  return <Failure error={error} onRetry={onRetry} />;
}

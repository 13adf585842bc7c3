import { useParams } from "react-router";
import { isNotFound } from "../api/errors";
import { Failure } from "../ui/State";
import { NotFoundPage } from "./ErrorPages";
import { idOf } from "./useProject";

/** Why a project is not shown: it does not exist for this user, or something went wrong. */
export function ProjectFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const named = useParams().projectId;
  if (isNotFound(error) || idOf(named) === null) return <NotFoundPage />;
  return <Failure error={error} onRetry={onRetry} />;
}

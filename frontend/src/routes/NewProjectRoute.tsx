import { Navigate } from "react-router";
import { NewProject } from "../features/setup/NewProject";
import { t } from "../strings";
import { useTitle } from "../ui/useTitle";
import { canManage, useUser } from "./useUser";

export function Component() {
  const user = useUser();
  useTitle(t.setup.newTitle);
  if (!canManage(user)) return <Navigate to="/" replace />;
  return <NewProject />;
}

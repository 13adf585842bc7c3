import { Navigate } from "react-router";
import { UsersScreen } from "../features/users/UsersScreen";
import { t } from "../strings";
import { useTitle } from "../ui/useTitle";
import { useUser } from "./useUser";

export function Component() {
  const user = useUser();
  useTitle(t.people.usersTitle);
  if (user.role !== "admin") return <Navigate to="/" replace />;
  return <UsersScreen me={user} />;
}

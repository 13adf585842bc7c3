import { AccountScreen } from "../features/account/AccountScreen";
import { t } from "../strings";
import { useTitle } from "../ui/useTitle";
import { useUser } from "./useUser";

export function Component() {
  useTitle(t.people.accountTitle);
  return <AccountScreen me={useUser()} />;
}

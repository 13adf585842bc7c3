import { useMutation, useQueryClient } from "@tanstack/react-query";
import { unlockUser } from "../../api/admin";
import { usersQuery } from "../../api/auth";
import type { UserActivity } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import styles from "./AdminScreen.module.css";

const { users: text } = t.admin;
const { factor } = t.signIn;

/** What is asked about first: it cannot be taken back, or locks somebody out. */
export type Asked = "deactivate" | "erase" | "password" | "factor";

type UserActionsProps = {
  user: UserActivity;
  isChanging: boolean;
  onChange: (change: { active?: boolean; second_factor_required?: boolean }) => void;
  onAsk: (what: Asked) => void;
};

/** What an admin may do about somebody else. */
export function UserActions({ user, isChanging, onChange, onAsk }: UserActionsProps) {
  const client = useQueryClient();
  const unlock = useMutation({
    mutationFn: unlockUser,
    onSettled: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  const isRequired = user.second_factor_required;
  return (
    <span className={styles.acts}>
      <ErrorNotice error={unlock.error} />
      {user.locked && (
        <Button
          size="small"
          kind="quiet"
          busy={unlock.isPending}
          aria-label={text.unlockOf(user.name)}
          onClick={() => unlock.mutate(user.id)}
        >
          {text.unlock}
        </Button>
      )}
      {user.active && (
        <Button
          size="small"
          kind="quiet"
          aria-label={text.resetOf(user.name)}
          onClick={() => onAsk("password")}
        >
          {text.reset}
        </Button>
      )}
      {!user.active && user.role !== "admin" && (
        <Button
          size="small"
          kind="quiet"
          aria-label={t.erasure.actionOf(user.name)}
          onClick={() => onAsk("erase")}
        >
          {t.erasure.action}
        </Button>
      )}
      <Button
        size="small"
        kind="quiet"
        busy={isChanging}
        aria-label={
          user.active ? t.people.deactivateUser(user.name) : t.people.activateUser(user.name)
        }
        onClick={() => (user.active ? onAsk("deactivate") : onChange({ active: true }))}
      >
        {user.active ? t.people.deactivate : t.people.activate}
      </Button>
      {user.active && user.second_factor && (
        <Button
          size="small"
          kind="quiet"
          aria-label={factor.resetOf(user.name)}
          onClick={() => onAsk("factor")}
        >
          {factor.reset}
        </Button>
      )}
      {user.active && !(user.second_factor && !isRequired) && (
        <Button
          size="small"
          kind="quiet"
          busy={isChanging}
          aria-label={isRequired ? factor.stopRequiringOf(user.name) : factor.requireOf(user.name)}
          onClick={() => onChange({ second_factor_required: !isRequired })}
        >
          {isRequired ? factor.stopRequiring : factor.require}
        </Button>
      )}
    </span>
  );
}

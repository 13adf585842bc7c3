import { useMutation, useQueryClient } from "@tanstack/react-query";
import { unlockUser } from "../../api/admin";
import { usersQuery } from "../../api/auth";
import type { UserActivity } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import styles from "./AdminScreen.module.css";

const { users: text } = t.admin;
const { factor } = t.signIn;

type UserActionsProps = {
  user: UserActivity;
  isChanging: boolean;
  onChange: (change: { active?: boolean; second_factor_required?: boolean }) => void;
  onResetPassword: () => void;
  onResetFactor: () => void;
  onErase: () => void;
};

/** What an admin may do about somebody else. */
export function UserActions(props: UserActionsProps) {
  const { user, isChanging, onChange, onResetPassword, onResetFactor, onErase } = props;
  const client = useQueryClient();
  const unlock = useMutation({
    mutationFn: unlockUser,
    onSettled: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  const isRequired = user.second_factor_required;
  return (
    <span className={styles.acts}>
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
          onClick={onResetPassword}
        >
          {text.reset}
        </Button>
      )}
      {!user.active && user.role !== "admin" && (
        <Button
          size="small"
          kind="quiet"
          aria-label={t.erasure.actionOf(user.name)}
          onClick={onErase}
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
        onClick={() => onChange({ active: !user.active })}
      >
        {user.active ? t.people.deactivate : t.people.activate}
      </Button>
      {user.active && user.second_factor && (
        <Button
          size="small"
          kind="quiet"
          aria-label={factor.resetOf(user.name)}
          onClick={onResetFactor}
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

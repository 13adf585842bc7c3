import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usersQuery } from "../../api/auth";
import { resetSecondFactor } from "../../api/secondFactor";
import type { User } from "../../api/types";
import { t } from "../../strings";
import { ConfirmDialog } from "../../ui/ConfirmDialog";

const { factor: text } = t.signIn;

/** Asks before somebody's second factor is taken away. */
export function ResetFactorDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => resetSecondFactor(user.id),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: usersQuery.queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={text.resetTitle(user.name)}
      text={text.resetText}
      action={text.reset}
      danger
      does={reset}
      onConfirm={() => reset.mutate()}
      onClose={onClose}
    />
  );
}

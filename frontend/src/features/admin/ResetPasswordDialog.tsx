import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { resetPassword } from "../../api/admin";
import { usersQuery } from "../../api/auth";
import type { User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { CheckField } from "../../ui/Field";
import { Secret } from "../../ui/Secret";
import styles from "./AdminScreen.module.css";

const { users: text } = t.admin;

/** Asks, resets, and shows the temporary password this once. */
export function ResetPasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [tokens, setTokens] = useState(false);
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => resetPassword(user.id, tokens),
    onSuccess: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  if (reset.data) {
    const { password, revoked_tokens: revoked } = reset.data;
    return (
      // Not closed by a click beside it: the password would be gone.
      <Dialog title={text.resetDone(user.name)}>
        <Secret title={text.resetOnce} label={t.people.temporaryPassword} value={password} />
        {revoked > 0 && <p>{text.revokedTokens(revoked)}</p>}
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title={text.resetTitle(user.name)} onClose={onClose}>
      <div className={styles.form}>
        <p>{text.resetText}</p>
        <CheckField
          label={text.revokeTokens}
          hint={text.revokeTokensHint}
          checked={tokens}
          onChange={(event) => setTokens(event.target.checked)}
        />
        <ErrorNotice error={reset.error} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind="primary" busy={reset.isPending} onClick={() => reset.mutate()}>
          {text.reset}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

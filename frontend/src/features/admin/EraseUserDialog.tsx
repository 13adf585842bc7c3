import { useMutation, useQueryClient } from "@tanstack/react-query";
import { eraseUser, heldUrl } from "../../api/admin";
import { usersQuery } from "../../api/auth";
import type { User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import styles from "./AdminScreen.module.css";

const { erasure: text } = t;

/** Erases who somebody is, after all that is held of them was offered to take away. */
export function EraseUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const client = useQueryClient();
  const erase = useMutation({
    mutationFn: () => eraseUser(user.id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  return (
    <Dialog title={text.title(user.name)} onClose={onClose}>
      <p>{text.text(user.id)}</p>
      <p className={styles.quiet}>
        {text.before}{" "}
        <a href={heldUrl(user.id)} download>
          {text.held}
        </a>
      </p>
      <ErrorNotice error={erase.error} />
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind="danger" busy={erase.isPending} onClick={() => erase.mutate()}>
          {text.confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onSignedOut } from "../../api/session";
import type { Me, User } from "../../api/types";
import { t } from "../../strings";
import { Dialog } from "../../ui/Dialog";
import { leaveFor } from "../../ui/leaving";
import { LoginForm } from "./LoginForm";

/** Asks to sign in again over whatever is on screen, so that nothing on it is lost. */
export function SignedOutDialog({ user, onSignedIn }: { user: User; onSignedIn: () => void }) {
  const [open, setOpen] = useState(false);
  const client = useQueryClient();
  useEffect(() => onSignedOut(() => setOpen(true)), []);
  if (!open) return null;
  const finish = (signedIn: Me) => {
    if (signedIn.id !== user.id) {
      leaveFor("/");
      return;
    }
    setOpen(false);
    client.invalidateQueries();
    onSignedIn();
  };
  return (
    <Dialog title={t.people.signedOutTitle}>
      <p>{t.people.signedOutText}</p>
      <LoginForm
        email={user.email}
        next={window.location.pathname + window.location.search + window.location.hash}
        onDone={finish}
      />
    </Dialog>
  );
}

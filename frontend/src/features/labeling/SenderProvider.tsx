import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { labelingApi } from "../../api/labeling";
import type { User } from "../../api/types";
import { openOutbox } from "./queue/outbox";
import { AnswerSender } from "./queue/sender";

const SenderContext = createContext<AnswerSender | null>(null);

/** Sends this user's stored answers, whichever page is open. */
export function SenderProvider({ user, children }: { user: User; children: ReactNode }) {
  const [sender, setSender] = useState<AnswerSender | null>(null);
  useEffect(() => {
    let current: AnswerSender | null = null;
    let unmounted = false;
    const wake = () => {
      if (!document.hidden) current?.wake();
    };
    openOutbox().then((outbox) => {
      if (unmounted) return;
      current = new AnswerSender({
        userId: user.id,
        outbox,
        api: labelingApi,
        exclusive: (work) => exclusively(`karat-outbox-${user.id}`, work),
      });
      setSender(current);
      void current.start();
    });
    window.addEventListener("online", wake);
    document.addEventListener("visibilitychange", wake);
    return () => {
      unmounted = true;
      current?.stop();
      window.removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", wake);
    };
  }, [user.id]);
  return <SenderContext value={sender}>{children}</SenderContext>;
}

/** The sender, or null while the storage is being opened. */
export const useSender = (): AnswerSender | null => useContext(SenderContext);

/** Two tabs must not send the same answers at once: an undo could overtake what it undoes. */
async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? navigator.locks.request(name, work) : work();
}

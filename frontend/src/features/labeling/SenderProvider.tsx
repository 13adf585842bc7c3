import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { labelingApi } from "../../api/labeling";
import { decideApi } from "../../api/reviews";
import type { User } from "../../api/types";
import { leaveFor } from "../../ui/leaving";
import { openOutbox } from "./queue/outbox";
import { AnswerSender, type SenderView } from "./queue/sender";
import { isSignedIn, noteSignedIn, onOtherUser } from "./queue/signedIn";

const SenderContext = createContext<AnswerSender | null>(null);

/** Sends this user's stored answers and decisions, whichever page is open. */
export function SenderProvider({ user, children }: { user: User; children: ReactNode }) {
  const [sender, setSender] = useState<AnswerSender | null>(null);
  useEffect(() => {
    let current: AnswerSender | null = null;
    let unmounted = false;
    const wake = () => {
      if (!document.hidden) current?.wake();
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (current && !current.durable && current.getView().pending.length > 0)
        event.preventDefault();
    };
    noteSignedIn(user.id);
    // The page belongs to whoever has signed in elsewhere: show it to them as theirs.
    const unlisten = onOtherUser(user.id, () => leaveFor("/"));
    openOutbox({ onLate: () => current?.start() }).then((outbox) => {
      if (unmounted) return;
      current = new AnswerSender({
        userId: user.id,
        outbox,
        api: { ...labelingApi, ...decideApi },
        isSignedIn: () => isSignedIn(user.id),
        exclusive: (work) => exclusively(`karat-outbox-${user.id}`, work),
      });
      setSender(current);
      void current.start();
    });
    window.addEventListener("online", wake);
    window.addEventListener("beforeunload", warn);
    document.addEventListener("visibilitychange", wake);
    return () => {
      unmounted = true;
      current?.stop();
      unlisten();
      window.removeEventListener("online", wake);
      window.removeEventListener("beforeunload", warn);
      document.removeEventListener("visibilitychange", wake);
    };
  }, [user.id]);
  return <SenderContext value={sender}>{children}</SenderContext>;
}

/** The sender, or null while the storage is being opened. */
export const useSender = (): AnswerSender | null => useContext(SenderContext);

const NOTHING: SenderView = { pending: [], rejected: [], state: "idle" };

/** What waits to be sent, as it changes. */
export function useUnsent(): SenderView {
  const sender = useSender();
  return useSyncExternalStore(
    sender?.subscribe ?? (() => () => {}),
    sender?.getView ?? (() => NOTHING),
  );
}

/** Two tabs must not send the same answers at once: an undo could overtake what it undoes. */
async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  return "locks" in navigator ? navigator.locks.request(name, work) : work();
}

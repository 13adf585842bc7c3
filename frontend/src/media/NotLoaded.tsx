import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { t } from "../strings";
import { Button } from "../ui/Button";
import type { Ahead, Subject } from "./spec";

type NotLoadedProps = {
  subject: Subject;
  ahead: Ahead;
  className: string | undefined;
  /** What the server says of it; where it says something, the network is not to blame. */
  children?: ReactNode;
};

/** Says that an example has not come, and why; it comes by itself once there is a network again. */
export function NotLoaded({ subject, ahead, className, children }: NotLoadedProps) {
  const online = useSyncExternalStore(watchNetwork, () => navigator.onLine);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per query and network.
  useEffect(() => {
    const retry = () => ahead.retry(subject);
    window.addEventListener("online", retry);
    return () => window.removeEventListener("online", retry);
  }, [ahead, subject.query_id]);
  return (
    <div className={className} role="alert" data-query-id={subject.query_id}>
      <p>{online || children ? t.label.imageFailed : t.label.noNetwork}</p>
      {children}
      <Button onClick={() => ahead.retry(subject)}>{t.common.retry}</Button>
    </div>
  );
}

function watchNetwork(onChange: () => void): () => void {
  window.addEventListener("online", onChange);
  window.addEventListener("offline", onChange);
  return () => {
    window.removeEventListener("online", onChange);
    window.removeEventListener("offline", onChange);
  };
}

import { type ComponentType, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../lib/listeners";
import { t } from "../strings";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { holdKeys } from "./held";

type Closable = { onClose: () => void };

/**
 * A dialog that a key opens. It is loaded as soon as the browser has time; keys that are pressed
 * before it is there wait for it, and mean nothing to the page below.
 */
export function keyDialog<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let part: ComponentType<Props> | "failed" | null = null;
  let isLoading = false;
  const listeners = new Listeners();
  const settle = (found: typeof part) => {
    part = found;
    isLoading = false;
    listeners.tell();
  };
  const get = () => {
    if (isLoading || part !== null) return;
    isLoading = true;
    // As long as nobody has asked for it, nobody need know, and it is tried again when they do.
    load().then(settle, () => settle(listeners.size > 0 ? "failed" : null));
  };
  const subscribe = (listener: () => void) => {
    const leave = listeners.subscribe(listener);
    get();
    return () => {
      leave();
      if (part === "failed") part = null;
    };
  };
  if ("requestIdleCallback" in window) requestIdleCallback(get);
  else get();

  return function KeyDialog(props: Props) {
    const Part = useSyncExternalStore(subscribe, () => part);
    if (Part === null) return <Opening onClose={props.onClose} />;
    if (Part === "failed") return <Missing onClose={props.onClose} />;
    return <Part {...props} />;
  };
}

function Opening({ onClose }: Closable) {
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => holdKeys(() => latest.current()), []);
  return null;
}

function Missing({ onClose }: Closable) {
  return (
    <Dialog title={t.common.failed} onClose={onClose}>
      <p>{t.common.unreachable}</p>
      <DialogActions>
        <Button onClick={onClose}>{t.common.close}</Button>
        <Button kind="primary" onClick={() => window.location.reload()}>
          {t.common.reload}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

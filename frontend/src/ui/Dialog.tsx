import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import styles from "./Dialog.module.css";
import { focusInvalid, UNHEARD } from "./focusInvalid";
import { around, stayNear } from "./focusNear";
import { StillTrying } from "./StillTrying";
import { useBeside } from "./useBeside";

type DialogProps = {
  title: string;
  onClose?: () => void;
  wide?: boolean;
  children: ReactNode;
};

/** A modal dialog. The first control gets the focus, or the one with `data-autofocus`. Without `onClose` it cannot be closed by Escape or a click beside it. */
export function Dialog({ title, onClose, wide, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const beside = useBeside(onClose);
  // Not after painting: only a dialog that is still on the page gives the focus back as it closes.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    const places = around(opener);
    if (dialog && !dialog.open) {
      dialog.showModal();
      const wanted = dialog.querySelector<HTMLElement>("[data-autofocus]");
      if (wanted) wanted.focus();
      // A long one is read from its beginning, wherever its first control is.
      else dialog.scrollTop = 0;
    }
    return () => {
      dialog?.close();
      // What was pressed to open it may go with what was done in it.
      if (opener && opener !== document.body) stayNear(opener, places);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={`${styles.dialog} ${wide ? styles.wide : ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A field for files says so, too, where none was chosen.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose?.();
      }}
      {...beside}
    >
      <div className={styles.content}>
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      {/* That of the page is behind it, where nothing is read. */}
      <StillTrying />
    </dialog>
  );
}

/** What can be done with a dialog. Nothing goes ahead while a field shows what it has not handed on. */
export function DialogActions({ children }: { children: ReactNode }) {
  const check = (event: MouseEvent) => {
    const pressed = (event.target as Element).closest("[data-kind=primary], [data-kind=danger]");
    const dialog = pressed?.closest("dialog");
    if (!dialog || !focusInvalid(dialog, UNHEARD)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={styles.actions} onClickCapture={check}>
      {children}
    </div>
  );
}

import { useRef, useState } from "react";
import { useMedium } from "../../media/MediumContext";
import { PICTURES } from "../../media/pictures";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { TextArea } from "../../ui/Field";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./Compared.module.css";
import type { FileFinder } from "./useFileFinder";

/** Asks for a file to find what is like it. */
export function FindByFile({ finder }: { finder: FileFinder }) {
  const input = useRef<HTMLInputElement>(null);
  const medium = useMedium();
  const [asking, setAsking] = useState(false);
  if (medium === "text") {
    return (
      <>
        <Button busy={finder.isBusy} onClick={() => setAsking(true)}>
          {finder.isBusy ? t.alike.looking : t.alike.file}
        </Button>
        {asking && (
          <PasteDialog
            onFind={(file) => {
              setAsking(false);
              finder.find([file]);
            }}
            onClose={() => setAsking(false)}
          />
        )}
        {finder.isOver && <Over />}
      </>
    );
  }
  return (
    <>
      <Button busy={finder.isBusy} onClick={() => input.current?.click()}>
        {finder.isBusy ? t.alike.looking : t.alike.file}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={PICTURES}
        aria-label={t.alike.file}
        onChange={(event) => {
          if (event.target.files?.length) finder.find(event.target.files);
          event.target.value = "";
        }}
      />
      {finder.isOver && <Over />}
    </>
  );
}

function Over() {
  return (
    <div className={styles.drop}>
      <strong>{t.alike.drop}</strong>
      <p>{t.alike.dropText}</p>
    </div>
  );
}

type PasteDialogProps = { onFind: (file: File) => void; onClose: () => void };

/** Takes a text to find what is like it. */
function PasteDialog({ onFind, onClose }: PasteDialogProps) {
  const [text, setText] = useState("");
  return (
    <Dialog title={t.alike.paste.title} onClose={onClose}>
      <form
        className={styles.paste}
        onSubmit={(event) => {
          event.preventDefault();
          onFind(new File([text], "pasted.txt", { type: "text/plain" }));
        }}
      >
        <TextArea
          label={t.alike.paste.label}
          hint={t.alike.paste.hint}
          rows={8}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <DialogActions>
          <Button kind="quiet" onClick={onClose}>
            {t.common.cancel}
          </Button>
          <Button type="submit" kind="primary" disabled={text.trim() === ""}>
            {t.alike.find}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Why a file could not be looked at. */
export function FinderFault({ finder }: { finder: FileFinder }) {
  if (!finder.error) return null;
  const dismiss = (
    <Button size="small" onClick={finder.forget}>
      {t.pool.dismiss}
    </Button>
  );
  return (
    <Notice tone="bad" actions={dismiss}>
      <Said>{finder.error}</Said>
    </Notice>
  );
}

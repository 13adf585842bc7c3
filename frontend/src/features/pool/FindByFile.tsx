import { useRef } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/State";
import styles from "./Compared.module.css";
import type { FileFinder } from "./useFileFinder";

/** Asks for a file to find what is like it. */
export function FindByFile({ finder }: { finder: FileFinder }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button busy={finder.isBusy} onClick={() => input.current?.click()}>
        {finder.isBusy ? t.alike.looking : t.alike.file}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/*"
        aria-label={t.alike.file}
        onChange={(event) => {
          if (event.target.files?.length) finder.find(event.target.files);
          event.target.value = "";
        }}
      />
      {finder.isOver && (
        <div className={styles.drop}>
          <strong>{t.alike.drop}</strong>
          <p>{t.alike.dropText}</p>
        </div>
      )}
    </>
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
      {t.common.said(finder.error.message)}
    </Notice>
  );
}

import { useEffect, useRef, useState } from "react";
import { useMedium } from "../../media/MediumContext";
import { PICTURES } from "../../media/pictures";
import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/State";
import { type Dropped, type Folder, readDrop, readPicked } from "./folders";
import styles from "./ImagesCard.module.css";

type DropZoneProps = {
  /** What may be dropped. */
  label?: string;
  /** Which files may be chosen. */
  accept?: string;
  /** What cannot be read then is told here. */
  onTake: (files: File[], folders: Folder[]) => Promise<void>;
  /** Asks for a bucket instead, where the operator allows one. */
  onBucket?: (() => void) | undefined;
};

export const COMPRESSED = ".gz,.bz2,.xz,.tgz,.tbz,.tbz2,.txz";
const ACCEPTED: Record<Medium, string> = {
  image: `.zip,.tar,.parquet,.csv,.tsv,.jsonl,.json,${PICTURES},${COMPRESSED}`,
  text: `.zip,.tar,.parquet,.csv,.tsv,.jsonl,.json,.txt,.md,${COMPRESSED}`,
};

export function DropZone(props: DropZoneProps) {
  const medium = useMedium();
  const { label = t.setup.dropHere, accept = ACCEPTED[medium], onTake, onBucket } = props;
  const [over, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [failed, setFailed] = useState(false);
  const take = async (dropped: Dropped | Promise<Dropped>) => {
    setFailed(false);
    try {
      const { files, folders } = await dropped;
      await onTake(files, folders);
    } catch {
      setFailed(true);
    }
  };
  useDropBeside(take);
  return (
    <section
      aria-label={label}
      className={styles.zone}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(readDrop(event.dataTransfer.items));
      }}
    >
      <p>{label}</p>
      {failed && <Notice tone="bad">{t.setup.left.unreadable}</Notice>}
      <div className={styles.choices}>
        <Button onClick={() => file.current?.click()}>{t.setup.chooseFile}</Button>
        <Button onClick={() => folder.current?.click()}>{t.setup.chooseFolder}</Button>
        {onBucket && <Button onClick={onBucket}>{t.setup.bucket.open}</Button>}
      </div>
      <input
        ref={file}
        type="file"
        multiple
        hidden
        aria-label={t.setup.chooseFile}
        accept={accept}
        onChange={(event) => {
          void take({ files: Array.from(event.target.files ?? []), folders: [] });
          event.target.value = "";
        }}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label={t.setup.chooseFolder}
        // Not in React's types, but in every browser.
        {...{ webkitdirectory: "" }}
        onChange={(event) => {
          if (event.target.files?.length)
            void take({ files: [], folders: [readPicked(event.target.files)] });
          event.target.value = "";
        }}
      />
    </section>
  );
}

/** What is dropped beside the zone is meant for it; the browser would open it, and leave the page. */
function useDropBeside(onDrop: (dropped: Promise<Dropped>) => void): void {
  const take = useRef(onDrop);
  useEffect(() => {
    take.current = onDrop;
  });
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      take.current(readDrop(event.dataTransfer.items));
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, []);
}

import { useEffect, useRef, useState } from "react";
import { useMedium } from "../../media/MediumContext";
import { PICTURES } from "../../media/pictures";
import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import { Button } from "../../ui/Button";
import { type Folder, readDrop, readPicked } from "./folders";
import styles from "./ImagesCard.module.css";

type DropZoneProps = {
  /** What may be dropped. */
  label?: string;
  /** Which files may be chosen. */
  accept?: string;
  onTake: (files: File[], folders: Folder[]) => void;
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
  useDropBeside(onTake);
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
      onDrop={async (event) => {
        event.preventDefault();
        setOver(false);
        const { files, folders } = await readDrop(event.dataTransfer.items);
        onTake(files, folders);
      }}
    >
      <p>{label}</p>
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
          onTake(Array.from(event.target.files ?? []), []);
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
          if (event.target.files?.length) onTake([], [readPicked(event.target.files)]);
          event.target.value = "";
        }}
      />
    </section>
  );
}

/** What is dropped beside the zone is meant for it; the browser would open it, and leave the page. */
function useDropBeside(onTake: DropZoneProps["onTake"]): void {
  const take = useRef(onTake);
  useEffect(() => {
    take.current = onTake;
  });
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      void readDrop(event.dataTransfer.items).then(({ files, folders }) =>
        take.current(files, folders),
      );
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, []);
}

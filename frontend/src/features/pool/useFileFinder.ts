import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { lookUp } from "../../api/alike";
import { t } from "../../strings";

export type FileFinder = {
  isBusy: boolean;
  /** Whether a file is held over the page. */
  isOver: boolean;
  error: Error | null;
  find: (files: FileList | File[] | null) => void;
  forget: () => void;
};

/** Finds what is like a file that is chosen, or dropped anywhere on the page. */
export function useFileFinder(projectId: number, onFound: (job: number) => void): FileFinder {
  const [isOver, setOver] = useState(false);
  const stop = useRef<AbortController | null>(null);
  const look = useMutation({
    mutationFn: (files: File[]) => {
      const [file] = files;
      if (!file || files.length > 1) throw new Error(t.alike.notOne);
      stop.current?.abort();
      stop.current = new AbortController();
      return lookUp(projectId, file, stop.current.signal);
    },
    onSuccess: onFound,
  });
  const { mutate } = look;
  useEffect(() => {
    // Elements are entered before others are left.
    let entered = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      entered += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      entered = Math.max(0, entered - 1);
      setOver(entered > 0);
    };
    const onOver = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      entered = 0;
      setOver(false);
      mutate(Array.from(event.dataTransfer?.files ?? []));
    };
    window.addEventListener("dragenter", onEnter);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("dragover", onOver);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragenter", onEnter);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("drop", onDrop);
      stop.current?.abort();
    };
  }, [mutate]);
  return {
    isBusy: look.isPending,
    isOver,
    error: look.error?.name === "AbortError" ? null : look.error,
    find: (files) => mutate(Array.from(files ?? [])),
    forget: look.reset,
  };
}

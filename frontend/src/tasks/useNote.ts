import { useState, useSyncExternalStore } from "react";
import { draftsVersion, keepNote, onDrafts, readNote } from "./drafts";

/** What is written beside the example on the page, until it goes with a verdict. */
export type NoteDraft = {
  text: string;
  /** Whether it is another than what was said with the last verdict. */
  isChanged: boolean;
  isOpen: boolean;
  open: () => void;
  close: () => void;
  write: (text: string) => void;
};

/**
 * The note of an example.
 *
 * @param name Under which it is kept until it is sent; null where no example is there.
 * @param given What stands beside the verdict that the example was given before.
 */
export function useNote(name: string | null, given: string | null): NoteDraft {
  useSyncExternalStore(onDrafts, draftsVersion);
  const [opened, setOpened] = useState<string | null>(null);
  // What is left is closed: whoever comes back to it begins with a look.
  if (opened !== null && opened !== name) setOpened(null);
  const written = name === null ? null : readNote(name);
  return {
    text: written ?? given ?? "",
    isChanged: written !== null,
    isOpen: name !== null && opened === name,
    open: () => setOpened(name),
    close: () => setOpened(null),
    write: (text) => name !== null && keepNote(name, text === (given ?? "") ? null : text),
  };
}

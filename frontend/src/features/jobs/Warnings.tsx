import type { PruneResult } from "../../api/results";
import { Notice } from "../../ui/State";
import { useSaid } from "../../ui/titled";

/** What has to be known before anything of a result is believed. */
export function Warnings({ result: { warnings = [] } }: { result: { warnings?: string[] } }) {
  const said = useSaid();
  return warnings.map((warning) => (
    <Notice key={warning} tone="bad">
      {said(warning)}
    </Notice>
  ));
}

/** The other notes. */
export const notesOf = ({ notes, warnings = [] }: PruneResult): string[] =>
  notes.filter((note) => !warnings.includes(note));

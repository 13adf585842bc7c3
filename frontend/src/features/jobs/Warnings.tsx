import type { PruneResult } from "../../api/results";
import { t } from "../../strings";
import { Notice } from "../../ui/State";

/** What has to be known before anything of a result is believed. */
export function Warnings({ result: { warnings = [] } }: { result: { warnings?: string[] } }) {
  return warnings.map((warning) => (
    <Notice key={warning} tone="bad">
      {t.common.said(warning)}
    </Notice>
  ));
}

/** The other notes. */
export const notesOf = ({ notes, warnings = [] }: PruneResult): string[] =>
  notes.filter((note) => !warnings.includes(note));

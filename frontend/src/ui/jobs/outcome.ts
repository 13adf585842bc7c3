import type { Estimate, ImportReport, Job, PruneResult, Relabeling } from "../../api/types";
import { t } from "../../strings";
import { formatAbout, formatMemory } from "../format";

/** Why a job failed or what it waits for, in the reader's words; null where it says nothing. */
export function saidBy({ error, message }: Pick<Job, "error" | "message">): string | null {
  const sentence = error?.detail ?? message;
  return sentence && t.common.said(sentence);
}

/** What an import brought. */
export function importedBy(report: ImportReport): string {
  const parts: string[] = [];
  if (report.added > 0) parts.push(t.setup.added(report.added));
  if (report.annotations) parts.push(t.setup.labelsAdded(report.annotations));
  // Labels may be for images that are there, so that nothing is said of images.
  if (parts.length === 0) parts.push(t.setup.nothingAdded);
  if (report.duplicates > 0) parts.push(t.setup.duplicates(report.duplicates));
  if (report.unchanged) parts.push(t.setup.unchanged(report.unchanged));
  if (report.empty) parts.push(t.setup.empty(report.empty));
  if (report.left_out) parts.push(t.setup.leftOut(report.left_out));
  if (report.refused > 0) parts.push(t.setup.refused(report.refused));
  return parts.join(", ");
}

/** What a job that succeeded has done, in a line; null where there is nothing to say. */
export function doneBy({ dry_run, kind, result }: Job): string | null {
  if (dry_run && kind === "import_pool") return t.setup.plan.waits;
  if (dry_run) {
    // The event that says it is done comes before its result.
    const found = result?.estimate as Estimate | undefined;
    if (!found) return t.jobs.estimate.run;
    return t.jobs.estimate.short(formatAbout(found.seconds), formatMemory(found.memory_bytes));
  }
  if (kind === "advance_round" && result) {
    return t.jobs.advanced(result.closed as number | null, result.opened as number | null);
  }
  if (kind === "prune" && result) {
    const { kept, labeled } = result as PruneResult;
    return t.jobs.pruned(kept, labeled);
  }
  if (kind === "relabel" && result) {
    const { disagreements, labeled } = result as Relabeling;
    return t.jobs.doubted(disagreements, labeled);
  }
  if (typeof result?.added === "number") return importedBy(result as ImportReport);
  return typeof result?.images === "number" ? t.jobs.learned(result.images) : null;
}

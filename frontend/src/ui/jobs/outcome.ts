import type { Estimate } from "../../api/estimates";
import type { Comparison, PruneResult, Relabeling } from "../../api/results";
import type { ImportReport, Job } from "../../api/types";
import { t } from "../../strings";
import { formatAbout, formatMemory } from "../format";

/** Why a job failed or what it waits for, as the server says it; null where it says nothing. */
export const sentenceOf = ({ error, message }: Pick<Job, "error" | "message">): string | null =>
  error?.detail ?? message;

/**
 * What an import brought. Each row is counted once, so that the parts add up to the rows; where
 * these are not labels one by one, how many labels that makes follows.
 */
export function importedBy(report: ImportReport): string {
  const { added, annotations = 0, labeled = 0, unchanged = 0, empty = 0 } = report;
  // Earlier versions did not count what was labeled.
  const eachOne = added === 0 && (labeled === 0 || annotations === labeled);
  const parts: string[] = [];
  if (added > 0) parts.push(t.setup.added(added));
  if (labeled > 0) parts.push(eachOne ? t.setup.labelsAdded(labeled) : t.setup.labeled(labeled));
  else if (added === 0 && annotations > 0) parts.push(t.setup.labelsAdded(annotations));
  if (report.predictions) parts.push(t.predictions.added(report.predictions));
  if (parts.length === 0) parts.push(t.setup.nothingAdded);
  if (report.duplicates > 0) parts.push(t.setup.duplicates(report.duplicates));
  if (unchanged > 0) parts.push(t.setup.unchanged(unchanged));
  if (empty > 0) parts.push(t.setup.empty(empty));
  if (report.left_out) parts.push(t.setup.leftOut(report.left_out));
  if (report.refused > 0) parts.push(t.setup.refused(report.refused));
  const isOfRows = labeled > 0 ? !eachOne || parts.length > 1 : added > 0 && unchanged + empty > 0;
  const evaluated = report.by_split?.evaluation ?? 0;
  const also = [
    ...(evaluated > 0 ? [t.setup.forEvaluation(evaluated)] : []),
    ...(annotations > 0 && !eachOne ? [t.setup.labelsAdded(annotations)] : []),
    ...(report.contradicting ? [t.setup.contradicting(report.contradicting)] : []),
  ];
  const rows = (isOfRows ? t.setup.ofRows(report.total) : "") + parts.join(", ");
  return [rows, ...also].join(" · ");
}

/**
 * What a job that succeeded has done, in a line; null where there is nothing to say.
 *
 * `titleOf` says what methods that choose instructions are called.
 */
export function doneBy(
  { dry_run, kind, params, result }: Job,
  titleOf?: (method: string) => string,
): string | null {
  if (dry_run && kind === "import_pool") return planned(params.answer);
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
  if (kind === "taufe" && result) {
    return t.jobs.regularized(Object.keys((result as Comparison).methods).length);
  }
  if (kind === "select_instructions" && result) {
    const said = t.selection.said(result.kept as number, result.rows as number);
    return titleOf ? `${titleOf(String(params.method))}: ${said}` : said;
  }
  if (kind === "certify" && typeof result?.certificate_id === "number") {
    return t.guarantee.page.title(result.certificate_id);
  }
  if (kind === "relabel" && result) {
    const { disagreements, labeled } = result as Relabeling;
    return t.jobs.doubted(disagreements, labeled);
  }
  if (kind === "compare" && result) {
    return t.jobs.compared(result.images as number, result.duplicates as number);
  }
  if (kind === "resize" && result) {
    return t.jobs.resized(result.images as number, result.input_size as number);
  }
  if (kind === "embedding_map" && result) return t.jobs.mapped(result.images as number);
  if (typeof result?.added === "number") return importedBy(result as ImportReport);
  return typeof result?.images === "number" ? t.jobs.learned(result.images) : null;
}

/** What became of the plan of an import. */
function planned(answer: unknown): string {
  const { answered, waits } = t.setup.plan;
  return typeof answer === "string" ? (answered[answer] ?? answer) : waits;
}

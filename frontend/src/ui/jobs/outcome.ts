import type { Job } from "../../api/types";
import { t } from "../../strings";

/** Why a job failed or what it waits for, in the reader's words; null where it says nothing. */
export function saidBy({ error, message }: Pick<Job, "error" | "message">): string | null {
  const sentence = error?.detail ?? message;
  return sentence && t.common.said(sentence);
}

import type { Estimate } from "../../api/estimates";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { formatAbout, formatMemory, formatSeconds } from "../format";
import { formatMoney } from "../money";
import { Notice } from "../State";
import { foreseen, foreseenIn } from "./foreseen";

const { estimate: text } = t.jobs;

/** What a dry run has found, in words; nothing if it has found nothing. */
export function EstimateNotice({ job }: { job: Job }) {
  const found = job.result?.estimate as Estimate | undefined;
  if (!found) return null;
  const expected = foreseenIn(found);
  const phases = Object.entries(found.phases)
    .filter(([, seconds]) => seconds >= 1)
    .sort(([, one], [, other]) => other - one)
    .map(([name, seconds]) => `${t.common.phases[name] ?? name} ${formatSeconds(seconds)}`);
  return (
    <Notice tone="gold">
      <p>
        {text.says(
          formatAbout(found.seconds),
          formatMemory(found.memory_bytes),
          found.device,
          found.labeled,
        )}{" "}
        {phases.length > 1 && `${text.phases} ${phases.join(", ")}.`}{" "}
        {found.notes.map(t.common.said).join(" ")}
      </p>
      {expected && <p>{foreseen(expected).join(" ")}</p>}
      {found.requests !== undefined && <Asked found={found} />}
    </Notice>
  );
}

/** What asking a judge would take: known before anything is paid. */
function Asked({ found }: { found: Estimate }) {
  const { price: words, priceIs, priceUnknown } = t.selection;
  const { requests = 0, tokens_in = 0, tokens_out = 0, price = null } = found;
  return (
    <p>
      {words(requests, tokens_in, tokens_out)}{" "}
      <strong>{price === null ? priceUnknown : priceIs(formatMoney(price))}</strong>
    </p>
  );
}

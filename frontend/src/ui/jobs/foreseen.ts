import type { Estimate, Foreseen, Outlook } from "../../api/estimates";
import { t } from "../../strings";
import { highOf } from "../outOf";

/** What a guarantee is expected to take and to bring, if an estimate is of one. */
export const foreseenIn = (estimate: Estimate | undefined): Foreseen | null =>
  estimate?.answers === undefined ? null : (estimate as Foreseen);

/** That in sentences; without names of classes nothing is said of which are left to people. */
export function foreseen(found: Foreseen, nameOf?: (classId: number) => string): string[] {
  const { expected: text } = t.guarantee.start;
  const less = found.less
    ? [text.less(highOf(found.less.target), checksOf(found.less), found.less.auto)]
    : [];
  if (found.answers === 0) return [text.never, ...less];
  const checks = checksOf(found);
  const inVain = Math.round(100 * found.in_vain);
  if (inVain > 50) return [text.inVain(inVain, checks), ...less];
  const left = nameOf ? found.left.map((id) => (id === null ? text.ofNone : nameOf(id))) : [];
  return [
    text.takes(checks, found.auto),
    ...(left.length > 0 ? [text.left(left)] : []),
    ...(inVain > 0 ? [text.mayFail(inVain)] : []),
    text.order,
    text.hedge,
  ];
}

const checksOf = ({ answers, answers_low, answers_high }: Outlook): string =>
  t.guarantee.start.expected.checks(answers, answers_low, answers_high);

import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Figures } from "../../../ui/Figures";
import { formatCount } from "../../../ui/format";
import { formatMoney } from "../../../ui/money";

/** What asking the judge took, in tokens and money. */
export function CostCard({ judge }: { judge: NonNullable<Selection["judge"]> }) {
  const text = t.selection;
  return (
    <Card title={text.cost}>
      <Figures
        figures={[
          [text.judge, judge.name, judge.model],
          [text.requests, formatCount(judge.requests)],
          [text.keptAnswers, formatCount(judge.kept_answers), text.keptAnswersHint],
          [text.tokensIn, formatCount(judge.tokens_in)],
          [text.tokensOut, formatCount(judge.tokens_out)],
          [text.spent, judge.spent === null ? text.noPrice : formatMoney(judge.spent)],
        ]}
      />
    </Card>
  );
}

import type { ProjectAgreement } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent } from "../../ui/format";
import { Table } from "../../ui/Table";

/** What annotators made of what each model proposed. */
export function ModelsCard({ models }: Pick<ProjectAgreement, "models">) {
  const text = t.predictions.agreement;
  const { shown, kept, adjusted, rejected, overlap } = t.overview.agreement.proposals;
  const isOfBoxes = models.some((one) => one.proposals);
  const columns = isOfBoxes
    ? [shown, kept, adjusted, rejected, overlap]
    : [text.answers, text.agreed];
  return (
    <Card title={text.title} hint={text.hint}>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{text.model}</th>
            {columns.map((name) => (
              <th key={name} scope="col" data-number>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, answers, agreed, proposals }) => (
            <tr key={`${model === null} ${model}`}>
              <th scope="row">{model ?? text.own}</th>
              {proposals ? (
                <>
                  <td data-number>{formatCount(proposals.proposals)}</td>
                  <td data-number>{formatCount(proposals.kept)}</td>
                  <td data-number>{formatCount(proposals.adjusted)}</td>
                  <td data-number>{formatCount(proposals.rejected)}</td>
                  <td data-number>{formatPercent(proposals.iou)}</td>
                </>
              ) : (
                <>
                  <td data-number>{formatCount(answers)}</td>
                  <td data-number>{formatPercent(agreed === null ? null : agreed / answers)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

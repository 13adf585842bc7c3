import type { ProjectAgreement } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent, formatSeconds } from "../../ui/format";
import { Table } from "../../ui/Table";

const { who, proposals: text } = t.overview.agreement;

/** What each annotator made of the boxes that models proposed. */
export function ProposalsCard({ found }: { found: ProjectAgreement }) {
  const columns = [
    text.shown,
    text.kept,
    text.adjusted,
    text.rejected,
    text.overlap,
    text.seconds,
    text.shifted,
  ];
  return (
    <Card title={text.title} hint={text.hint}>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{who}</th>
            {columns.map((name) => (
              <th key={name} scope="col" data-number>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.voters.map(
            ({ user_id, name, proposals }) =>
              proposals && (
                <tr key={`${user_id} ${name}`}>
                  <th scope="row">{name}</th>
                  <td data-number>{formatCount(proposals.proposals)}</td>
                  <td data-number>{formatCount(proposals.kept)}</td>
                  <td data-number>{formatCount(proposals.adjusted)}</td>
                  <td data-number>{formatCount(proposals.rejected)}</td>
                  <td data-number>{formatPercent(proposals.iou)}</td>
                  <td data-number>
                    {proposals.seconds_per_box === null
                      ? "–"
                      : formatSeconds(proposals.seconds_per_box)}
                  </td>
                  <td data-number>{text.of(proposals.shifted_kept, proposals.shifted)}</td>
                </tr>
              ),
          )}
        </tbody>
      </Table>
    </Card>
  );
}

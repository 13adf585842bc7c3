import { useQuery } from "@tanstack/react-query";
import { agreementQuery } from "../../api/agreement";
import type { Agreement } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent } from "../../ui/format";
import { Table } from "../../ui/Table";

const { agreement: text } = t.overview;

/** How far those agree who have judged the same images; nothing where nobody has. */
export function AgreementCard({ projectId }: { projectId: number }) {
  const found = useQuery(agreementQuery(projectId)).data;
  if (!found || found.examples === 0) return null;
  const everybody = { ...found, name: text.everybody, votes: null };
  return (
    <Card title={text.title} hint={text.hint(found.examples)}>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{text.who}</th>
            {[text.votes, text.inOod, text.alpha, text.classes, text.alpha].map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns have one name, and none moves.
              <th key={index} scope="col" data-number>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[everybody, ...found.voters].map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name}</th>
              <td data-number>{one.votes === null ? "" : formatCount(one.votes)}</td>
              <Figures agreement={one.in_ood} />
              <Figures agreement={one.classes} />
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function Figures({ agreement }: { agreement: Agreement }) {
  return (
    <>
      <td data-number>{formatPercent(agreement.share)}</td>
      <td data-number>{agreement.alpha === null ? "–" : agreement.alpha.toFixed(2)}</td>
    </>
  );
}

import type { Trial } from "../../api/results";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatMeasured } from "../../ui/shares";
import { Table } from "../../ui/Table";

const { trial: text } = t.jobs.subset;
const HEADS = ["sop_plus", "ce"] as const;
const PARTS = ["kept", "random", "all"] as const;

/** What heads make of the subset, of as many labels at random, and of all. */
export function TrialTable({ trial }: { trial: Trial }) {
  return (
    <Card title={text.title} hint={text.hint(trial.examples)}>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{text.learned}</th>
            {HEADS.map((head) => (
              <th key={head} scope="col" data-number>
                {text.heads[head]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PARTS.map((part) => (
            <tr key={part}>
              <th scope="row">{text.parts[part]}</th>
              {HEADS.map((head) => (
                <td key={head} data-number>
                  {formatMeasured(trial.heads[head][part], trial.examples)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "../../api/projects";
import type { Relabeling } from "../../api/results";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent } from "../../ui/format";
import { useManages } from "../../ui/managing";
import { FEWEST } from "../../ui/shares";
import { Table } from "../../ui/Table";

const { relabel: text } = t.jobs;

type VotersCardProps = { projectId: number; votes: NonNullable<Relabeling["votes"]> };

/** How far each annotator, or column of imported labels, can be trusted. */
export function VotersCard({ projectId, votes }: VotersCardProps) {
  const members = useQuery({ ...membersQuery(projectId), enabled: useManages() }).data?.items ?? [];
  const nameOf = (id: number) => members.find(({ user }) => user.id === id)?.user.name;
  return (
    <Card title={text.voters} hint={text.votersHint(votes.examples, votes.other_consensus)}>
      <Table label={text.voters}>
        <thead>
          <tr>
            <th scope="col">{text.voter}</th>
            <th scope="col" data-number>
              {text.labels}
            </th>
            <th scope="col" data-number>
              {text.quality}
            </th>
          </tr>
        </thead>
        <tbody>
          {votes.annotators.map((one) => (
            <tr key={`${one.user_id} ${one.source_name}`}>
              <th scope="row">
                {one.user_id === null
                  ? one.source_name
                  : (nameOf(one.user_id) ?? text.user(one.user_id))}
              </th>
              <td data-number>{formatCount(one.labels)}</td>
              <td data-number>
                {/* A mean of what is likely, not a count of hits: no interval is known of it. */}
                {one.labels < FEWEST ? t.advice.tooFew : formatPercent(one.quality)}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

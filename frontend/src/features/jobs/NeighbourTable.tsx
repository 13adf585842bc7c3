import { useMutation, useQuery } from "@tanstack/react-query";
import { algorithmsQuery, jobOf, paramsWith } from "../../api/algorithms";
import type { Neighbours } from "../../api/results";
import { startJob } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatCount, formatWholePercent } from "../../ui/format";
import { Table } from "../../ui/Table";
import { Term } from "../../ui/Term";
import { useGoOn } from "../../ui/useGoOn";
import styles from "./NeighbourTable.module.css";
import { nearest } from "./nearest";

const { subset: text } = t.jobs;

type NeighbourTableProps = { projectId: number; job: Job; neighbours: Neighbours };

/** A histogram of neighbours at each threshold, as a table that is darker where more images are. */
export function NeighbourTable({ projectId, job, neighbours }: NeighbourTableProps) {
  const { tau, automatic, sampled, least, rows } = neighbours;
  const used = nearest(rows, tau);
  const goOn = useGoOn();
  const algorithm = jobOf(useQuery(algorithmsQuery).data?.items, job.kind);
  const given = algorithm && paramsWith(algorithm, job.params);
  const choose = useMutation({
    mutationFn: (threshold: number) => startJob(projectId, job.kind, { ...given, tau: threshold }),
    onSuccess: (started) => goOn(`/projects/${projectId}/jobs/${started.id}`),
  });
  return (
    <Card title={text.neighbours} hint={text.neighboursHint(sampled, tau.toFixed(4), automatic)}>
      <ErrorNotice error={choose.error} />
      <div className={styles.shares}>
        <Table label={text.neighbours}>
          <thead>
            <tr>
              <th scope="col">
                <Term of="tau">{text.tau}</Term>
              </th>
              <th scope="col">{text.choice}</th>
              <th scope="col" data-number>
                {text.median}
              </th>
              {least.map((from, index) => (
                <th key={from} scope="col" data-number>
                  {text.bin(from, least[index + 1])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.tau} aria-current={row === used || undefined}>
                <th scope="row" className={styles.tau}>
                  {row === used ? tau.toFixed(4) : row.tau.toFixed(4)}
                </th>
                <td>
                  {row === used ? (
                    <Chip tone="gold">{text.inUseHere}</Chip>
                  ) : (
                    <Button
                      manages
                      size="small"
                      aria-label={text.chooseWith(row.tau.toFixed(4))}
                      busy={choose.isPending && choose.variables === row.tau}
                      disabled={choose.isPending || !given}
                      onClick={() => choose.mutate(row.tau)}
                    >
                      {text.choose}
                    </Button>
                  )}
                </td>
                <td data-number>{formatCount(row.median)}</td>
                {least.map((from, index) => (
                  <Share key={from} share={row.shares[index] ?? 0} />
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Card>
  );
}

function Share({ share }: { share: number }) {
  const percent = Math.round(100 * share);
  const background = `color-mix(in oklab, var(--gold) ${percent}%, transparent)`;
  return (
    <td data-number style={{ background }}>
      {share > 0 ? formatWholePercent(share) : ""}
    </td>
  );
}

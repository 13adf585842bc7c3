import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { importReportUrl, listed } from "../../api/imports";
import { projectQuery } from "../../api/projects";
import { cancelJob, isActive, retryJob } from "../../api/rounds";
import type { ImportReport, Job, Split } from "../../api/types";
import { type Withdrawal, withdrawalsQuery } from "../../api/withdrawals";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { importedBy, sentenceOf } from "../../ui/jobs/outcome";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import { Withdraw, Withdrawn } from "../../ui/Withdraw";
import styles from "./ImagesCard.module.css";
import { PredictionList } from "./PredictionList";
import { Reasons } from "./Reasons";
import { unknownLabels } from "./refusals";

/** Keys of the words, which are read when they are shown: they are those of the page's medium. */
const STATES = {
  queued: { say: "importQueued", tone: "plain" },
  running: { say: "importRunning", tone: "gold" },
  succeeded: { say: "importDone", tone: "good" },
  failed: { say: "importFailed", tone: "bad" },
  // None is: only what asks a judge.
  paused: { say: "importQueued", tone: "plain" },
  cancelled: { say: "importCancelled", tone: "plain" },
} as const;

const NOTHING = { say: "importedNothing", tone: "bad" } as const;
const PART = { say: "importedPart", tone: "gold" } as const;

export function ImportList({ projectId, jobs }: { projectId: number; jobs: Job[] }) {
  const withdrawn = useQuery(withdrawalsQuery(projectId)).data?.items ?? [];
  return (
    <>
      <ul className={styles.list} aria-label={t.setup.imports}>
        {jobs.map((job) => (
          <ImportItem
            key={job.id}
            projectId={projectId}
            job={job}
            takenBack={withdrawn.find((one) => one.import_id === job.id)}
          />
        ))}
      </ul>
      <PredictionList projectId={projectId} />
    </>
  );
}

type ImportItemProps = { projectId: number; job: Job; takenBack: Withdrawal | undefined };

function ImportItem({ projectId, job, takenBack }: ImportItemProps) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  const retry = useMutation({ mutationFn: () => retryJob(job.id), onSettled });
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onSettled });
  const { name, kind } = listed(job);
  const report = job.state === "succeeded" ? (job.result as ImportReport | null) : null;
  const { say, tone } = outcomeOf(job, report);
  const text = t.setup[say];
  const unknown = report && unknownLabels(report);
  const active = isActive(job);
  return (
    <li>
      <div className={styles.item}>
        <strong>{name}</strong>
        <span className={styles.kind}>{t.setup.sources[kind]}</span>
        {splitsOf(job, report).map((one) => (
          <Chip key={one}>{one}</Chip>
        ))}
        <Chip tone={tone}>{text}</Chip>
        {report && <span className={styles.end}>{importedBy(report)}</span>}
        {takenBack && <Chip>{t.withdrawal.takenBack(takenBack.images)}</Chip>}
        {(!takenBack || endedAfter(job, takenBack)) && mayHaveAdded(job, report) && (
          <Withdraw
            projectId={projectId}
            selection={{ filters: { import_id: job.id, split: "all" } }}
            what="import"
            onDone={onSettled}
          />
        )}
        {active && (
          <Button
            size="small"
            kind="quiet"
            className={styles.end ?? ""}
            busy={cancel.isPending || job.cancel_requested}
            onClick={() => cancel.mutate()}
          >
            {t.setup.stop}
          </Button>
        )}
      </div>
      {takenBack && takenBack.state !== "done" && (
        <Withdrawn projectId={projectId} id={takenBack.id} />
      )}
      {job.state === "queued" && job.message && (
        <p className={styles.kind}>
          <Said>{sentenceOf(job)}</Said>
        </p>
      )}
      {job.state === "running" && job.progress && (
        <Meter
          label={text}
          hideLabel
          value={job.progress.step}
          max={job.progress.steps}
          text={t.overview.step(job.progress.step, job.progress.steps)}
        />
      )}
      {job.state === "failed" && (
        <Notice
          tone="bad"
          actions={
            <Button size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
              {t.common.retry}
            </Button>
          }
        >
          <Said>{sentenceOf(job)}</Said>
        </Notice>
      )}
      {report && unknown && (
        <Notice tone="gold">
          {t.setup.unknownLabels(unknown.count, unknown.names)}
          {unknown.lacksEvaluation && ` ${t.setup.noEvaluation}`}
        </Notice>
      )}
      {report?.input_size && (
        <p className={styles.kind}>{t.setup.inputSize.choice(report.input_size)}</p>
      )}
      {report?.notes?.filter(isOfReading).map((note) => (
        <p key={note} className={styles.kind}>
          <Said>{note}</Said>
        </p>
      ))}
      {report?.noted && <Reasons title={t.setup.noted} reasons={report.noted} />}
      {report?.left_out_by_reason && (
        <Reasons title={t.setup.whyLeftOut} reasons={report.left_out_by_reason} />
      )}
      {report && report.refused > 0 && (
        <Refused report={report} href={importReportUrl(projectId, job.id)} />
      )}
    </li>
  );
}

/** The size of what the model sees is told in words of its own. */
const OF_READING =
  /^Numbers in | is read as the class |^Each answer becomes |^Rows that ask the same |rankings\b|^Rankings come in |^Nothing says which /;
const isOfReading = (note: string): boolean => OF_READING.test(note);

function outcomeOf({ state }: Job, report: ImportReport | null) {
  if (!report) return STATES[state];
  if (bringsNothing(report)) return NOTHING;
  return report.refused > 0 ? PART : STATES[state];
}

/** Whether there may be something of it to take back. */
const mayHaveAdded = (job: Job, report: ImportReport | null): boolean =>
  report ? report.added > 0 : job.state === "failed" || job.state === "cancelled";

/** Whether it was retried, so that there may be more of it than was taken back. */
const endedAfter = ({ finished_at }: Job, { created_at }: Withdrawal): boolean =>
  finished_at != null && new Date(finished_at) > new Date(created_at);

/** Whether nothing in it was an image or a label, or all was refused. */
function bringsNothing(report: ImportReport): boolean {
  const { added, annotations, labeled, predictions, unchanged, duplicates } = report;
  return !(added || annotations || labeled || predictions || unchanged || duplicates);
}

/**
 * What the images became: each part with its number, where one import brought several. Labels go to
 * images that have their place already.
 */
function splitsOf(job: Job, report: ImportReport | null): string[] {
  const found = Object.entries(report?.by_split ?? {}).filter(([, count]) => count > 0);
  const titles = t.setup.splits as Record<string, string>;
  const asked = job.params.split as Split | undefined;
  if (found.length === 0) return asked && !report ? [t.setup.splits[asked]] : [];
  return found.map(([name, count]) =>
    found.length === 1 ? (titles[name] ?? name) : t.setup.inSplit(titles[name] ?? name, count),
  );
}

function Refused({ report, href }: { report: ImportReport; href: string }) {
  return (
    <details className={styles.report}>
      <summary>{t.setup.whyRefused}</summary>
      <div className={styles.refused}>
        <Table label={t.setup.whyRefused}>
          <thead>
            <tr>
              <th scope="col">{t.setup.reason}</th>
              <th scope="col">{t.setup.refusedItems}</th>
            </tr>
          </thead>
          <tbody>
            {byReason(report).map(({ reason, count, names }) => (
              <tr key={reason}>
                <td>
                  <Said>{reason}</Said>
                </td>
                <td>{t.setup.someFiles(count, names)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      <a href={href} download>
        {t.setup.fullReport}
      </a>
    </details>
  );
}

type Reason = { reason: string; count: number; names: string[] };

const MOST_NAMES = 5;

/** The most frequent first, with some of the files. */
function byReason({ refused_examples, refused_by_reason }: ImportReport): Reason[] {
  const names: Record<string, string[]> = {};
  for (const { name, reason } of refused_examples) names[reason] = [...(names[reason] ?? []), name];
  return Object.keys(refused_by_reason ?? names)
    .map((reason) => {
      const known = names[reason] ?? [];
      const count = refused_by_reason?.[reason] ?? known.length;
      return { reason, count, names: known.slice(0, MOST_NAMES) };
    })
    .sort((one, other) => other.count - one.count);
}

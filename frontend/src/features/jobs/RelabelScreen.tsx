import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import { artifactUrl } from "../../api/artifacts";
import type { Relabeling } from "../../api/results";
import type { Job, LabelClass, Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { type Figure, Figures } from "../../ui/Figures";
import { formatCount, formatPercent, formatWholePercent } from "../../ui/format";
import { useManages } from "../../ui/managing";
import { FEWEST, formatMeasured, percentsOf } from "../../ui/shares";
import { Table } from "../../ui/Table";
import styles from "./JobsScreen.module.css";
import { ReviewProgress } from "./ReviewProgress";
import { transitionsOf } from "./transitions";
import { VotersCard } from "./VotersCard";
import { Warnings } from "./Warnings";

const { relabel: text } = t.jobs;

type RelabelScreenProps = { project: Project; job: Job };

/** What a job `relabel` would label otherwise, and how far that is reviewed. */
export function RelabelScreen({ project, job }: RelabelScreenProps) {
  const result = job.result as Relabeling;
  const titleOf = useTitles("learner");
  const manages = useManages();
  const { learner, trained, labeled, disagreements } = result;
  return (
    <div className={styles.page}>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{text.title}</h2>
        <p>
          {result.noise ? text.judged(labeled) : text.learned(titleOf(learner), trained)}{" "}
          {text.doubts(disagreements, labeled)}{" "}
          {result.test_accuracy !== null &&
            (result.test_examples ?? FEWEST) >= FEWEST &&
            text.accuracy(formatMeasured(result.test_accuracy, result.test_examples))}
        </p>
      </header>
      <Warnings result={result} />
      <Found result={result} />
      {labeled > 0 && (
        <Card title={text.review} hint={text.reviewHint}>
          <ReviewProgress project={project} job={job} />
        </Card>
      )}
      {result.truth && (
        <Card title={text.truth} hint={text.truthHint(result.truth.known)}>
          <Figures figures={truthOf(result.truth)} />
        </Card>
      )}
      {result.cleanlab && (
        <Card title={text.second} hint={text.secondHint}>
          <Figures
            figures={[
              [text.both, formatCount(result.cleanlab.both)],
              [text.oursOnly, formatCount(result.cleanlab.ours_only)],
              [text.theirsOnly, formatCount(result.cleanlab.theirs_only)],
            ]}
          />
        </Card>
      )}
      {result.votes && <VotersCard projectId={project.id} votes={result.votes} />}
      {disagreements > 0 && (
        <Card title={text.transitions} hint={text.transitionsHint}>
          <Transitions classes={project.classes} result={result} />
        </Card>
      )}
      {manages && (
        <p>
          <a href={artifactUrl(result.relabels_id)} download>
            {text.download}
          </a>
        </p>
      )}
    </div>
  );
}

function truthOf(truth: NonNullable<Relabeling["truth"]>): Figure[] {
  const { known, noise_before, noise_after, corrected, trained_wrong, trained_corrected } = truth;
  const figures: Figure[] = [
    [text.noiseBefore, formatMeasured(noise_before, known)],
    [text.noiseAfter, formatMeasured(noise_after, known)],
    [text.corrected, formatMeasured(corrected, Math.round(noise_before * known))],
  ];
  if (trained_wrong && trained_corrected != null) {
    const share = formatMeasured(trained_corrected, trained_wrong);
    figures.push([text.trainedCorrected(trained_wrong), share]);
  }
  return figures;
}

/** How many labels are wrong, and what the suggestions are worth; of frozen features alone. */
function Found({ result }: ResultProps) {
  const { noise, share, expected, disagreements, outside, knows_ood } = result;
  if (!noise || share === undefined) return null;
  const { wrong, right } = expected ?? { wrong: null, right: null };
  return (
    <Card title={text.found} hint={text.noiseHint}>
      <p>
        {(knows_ood ? text.noiseOfAll : text.noise)(
          ...percentsOf(noise.rate, noise.low, noise.high),
        )}{" "}
        {wrong !== null && right !== null
          ? text.worth(disagreements, formatWholePercent(wrong), formatWholePercent(right))
          : text.noneWorth(formatWholePercent(share))}{" "}
        {outside ? text.outside(outside) : null}
      </p>
      {disagreements > 0 && <p className={styles.hint}>{text.stops(formatWholePercent(share))}</p>}
    </Card>
  );
}

type ResultProps = { result: Relabeling };

function Transitions({ classes, result }: { classes: LabelClass[]; result: Relabeling }) {
  const nameOf = (id: number) => classes.find((one) => one.id === id)?.name ?? String(id);
  const most = transitionsOf(result);
  return (
    <Table label={text.transitions}>
      <thead>
        <tr>
          <th scope="col">{text.given}</th>
          <th scope="col">{text.suggested}</th>
          <th scope="col" data-number>
            {text.labels}
          </th>
          <th scope="col" data-number>
            {text.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {most.map(({ given, suggested, count, of }) => (
          <tr key={`${given}-${suggested}`}>
            <th scope="row">{nameOf(given)}</th>
            <td>{suggested === null ? t.label.ood : nameOf(suggested)}</td>
            <td data-number>{formatCount(count)}</td>
            <td data-number>{formatPercent(count / of)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

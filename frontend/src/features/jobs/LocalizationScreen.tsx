import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { artifactsQuery } from "../../api/artifacts";
import type { Localization } from "../../api/localization";
import type { Job, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Failure } from "../../ui/State";
import { Table } from "../../ui/Table";
import { FoundCurves } from "./FoundCurves";
import styles from "./JobsScreen.module.css";
import { foundLines, GUESSES, methodsOf } from "./localized";
import { OverlayGallery } from "./OverlayGallery";
import { Warnings } from "./Warnings";

const { localization: text } = t;
const FEW = 100;

type LocalizationScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job `localize` has found: figures, curves, and the boxes beside the true ones. */
export function LocalizationScreen({ project, job }: LocalizationScreenProps) {
  const artifacts = useQuery(artifactsQuery(project.id, job.id));
  const result = job.result as unknown as Localization;
  const drawing = artifacts.data?.items.find((one) => one.kind === "comparison");
  return (
    <div className={styles.page}>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{text.title}</h2>
        <Counts result={result} />
      </header>
      <Warnings result={result} />
      <Card title={text.figures} hint={text.figuresHint}>
        <FoundTable result={result} />
        {result.localize === "cam" && <p className={styles.hint}>{text.maxNote}</p>}
        {result.refused.oat && <p className={styles.hint}>{text.refused}</p>}
      </Card>
      <Card title={text.curves}>
        <FoundCurves result={result} />
      </Card>
      {artifacts.error && <Failure error={artifacts.error} onRetry={() => artifacts.refetch()} />}
      {drawing && (
        <Card title={text.images} hint={text.imagesHint}>
          <OverlayGallery classes={project.classes} result={result} artifactId={drawing.id} />
        </Card>
      )}
    </div>
  );
}

function Counts({ result }: { result: Localization }) {
  const { counts, judged_on, localize, weights } = result;
  const { inside, ood, test, none, several, cropped } = counts;
  return (
    <p>
      {text.how[localize]} {text.from(inside, ood)}{" "}
      {weights && t.jobs.comparison.weights(weights.taufe, weights.oat)}{" "}
      {judged_on === "evaluation" ? text.judged(test) : text.judgedHeldOut(test)}{" "}
      {test < FEW && text.few}{" "}
      {none + several + cropped > 0 && text.leftOut(none, several, cropped)}
    </p>
  );
}

function FoundTable({ result }: { result: Localization }) {
  const heads = [
    ...methodsOf(result).map((method) => text.methods[method]),
    ...GUESSES.map((guess) => text.guesses[guess]),
  ];
  return (
    <Table label={text.figures}>
      <thead>
        <tr>
          <th scope="col">{text.figure}</th>
          {heads.map((head) => (
            <th key={head} scope="col" data-number>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {foundLines(result).map(({ label, values, best }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {heads.map((head, index) => (
              <td key={head} data-number>
                {best[index] ? <strong>{values[index]}</strong> : (values[index] ?? "–")}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

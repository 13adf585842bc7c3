import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { artifactsQuery } from "../../api/artifacts";
import type { Comparison } from "../../api/results";
import type { Job, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Failure } from "../../ui/State";
import { FeatureMaps } from "./FeatureMaps";
import { FiguresTable, PerClassTable } from "./FiguresTable";
import styles from "./JobsScreen.module.css";
import { NextRounds } from "./NextRounds";
import { Warnings } from "./Warnings";

const FEW = 100;

type ComparisonScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job `taufe` has found: figures, maps, models, and what to do next. */
export function ComparisonScreen({ project, job }: ComparisonScreenProps) {
  const artifacts = useQuery(artifactsQuery(project.id, job.id));
  const result = job.result as Comparison;
  const { comparison } = t.jobs;
  const forRounds = Object.keys(result.settings).length > 0;
  const nextHint = forRounds ? comparison.nextHint : comparison.modelsHint;
  const files = artifacts.data?.items ?? [];
  const drawing = files.find((one) => one.kind === "comparison");
  return (
    <div className={styles.page}>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{comparison.title}</h2>
        <Counts result={result} />
      </header>
      <Warnings result={result} />
      <Card title={comparison.figures} hint={comparison.figuresHint}>
        <FiguresTable result={result} />
      </Card>
      <Card title={forRounds ? comparison.next : comparison.models} hint={nextHint}>
        <NextRounds project={project} result={result} files={files} />
      </Card>
      {artifacts.error && <Failure error={artifacts.error} onRetry={() => artifacts.refetch()} />}
      {drawing && (
        <Card title={comparison.map} hint={comparison.mapHint}>
          <FeatureMaps classes={project.classes} result={result} artifactId={drawing.id} />
        </Card>
      )}
      <Card title={comparison.perClass}>
        <PerClassTable classes={project.classes} result={result} />
      </Card>
    </div>
  );
}

function Counts({ result }: { result: Comparison }) {
  const { counts, judged_on, weights } = result;
  const { comparison } = t.jobs;
  const judged = judged_on === "evaluation" ? comparison.judged : comparison.judgedHeldOut;
  const { unlabeled = 0, unlabeled_left_out = 0, attacked = 0 } = counts;
  const few = counts.test < FEW || counts.test_ood < FEW;
  return (
    <p>
      {comparison.from(counts.inside, counts.verdicts + counts.auxiliary)}{" "}
      {weights && comparison.weights(weights.taufe, weights.oat)}{" "}
      {unlabeled > 0 && comparison.unlabeled(unlabeled, unlabeled_left_out)}{" "}
      {judged(counts.test, counts.test_ood)} {few && comparison.few}{" "}
      {attacked > 0 && comparison.attackedImages(attacked)}{" "}
      {counts.left_out > 0 && comparison.leftOut(counts.left_out)}
    </p>
  );
}

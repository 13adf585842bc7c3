import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { algorithmsQuery } from "../../api/algorithms";
import { serving } from "../../api/serving";
import type { Algorithm, Project } from "../../api/types";
import { t } from "../../strings";
import { useJobsOfKind } from "../../ui/jobs/JobControls";
import { useManages } from "../../ui/managing";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { AllJobsCard } from "./AllJobsCard";
import { JobKindCard } from "./JobKindCard";
import styles from "./JobsScreen.module.css";
import { isQuestion, QUESTIONS, type Question, Questions } from "./Questions";

/** What one may want to know of a project, what can be started for it, and what became of it. */
export function JobsScreen({ project }: { project: Project }) {
  const algorithms = useQuery(algorithmsQuery);
  const [search, setSearch] = useSearchParams();
  const asked = search.get("ask");
  const manages = useManages();
  const served = serving(algorithms.data?.items ?? [], project);
  const jobs = served.filter((one) => one.kind === "job");
  const others = jobs.filter((one) => !isQuestion(one.name));
  const answering = QUESTIONS.flatMap((name) => jobs.find((one) => one.name === name) ?? []);
  const ask = (name: Question) => {
    const next = new URLSearchParams(search);
    next.set("ask", name);
    setSearch(next, { replace: true });
  };
  if (algorithms.error && !algorithms.data) {
    return <Failure error={algorithms.error} onRetry={() => algorithms.refetch()} />;
  }
  if (!algorithms.data) {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  return (
    <div className={styles.page}>
      {manages && (
        <Questions
          project={project}
          questions={answering.map(({ name }) => name).filter(isQuestion)}
          asked={asked}
          onAsk={ask}
        />
      )}
      {answering.map((algorithm) => (
        <Answer
          key={algorithm.name}
          project={project}
          algorithm={algorithm}
          isAsked={asked === algorithm.name}
        />
      ))}
      {manages && (
        <details className={styles.others} open={others.some(({ name }) => name === asked)}>
          <summary>{t.jobs.others(others.map(({ title }) => title))}</summary>
          <div className={styles.page}>
            {others.map((algorithm) => (
              <JobKindCard key={algorithm.name} project={project} algorithm={algorithm} />
            ))}
          </div>
        </details>
      )}
      <AllJobsCard project={project} />
      <p>
        {t.jobs.intro} <Link to={`/projects/${project.id}/subsets`}>{t.jobs.subsets.tab}</Link>
      </p>
    </div>
  );
}

type AnswerProps = { project: Project; algorithm: Algorithm; isAsked: boolean };

/** What answers a question: once it is asked, and as long as there is something of it. */
function Answer({ project, algorithm, isAsked }: AnswerProps) {
  const jobs = useJobsOfKind(project.id, algorithm.name);
  if (!isAsked && !jobs.data?.items.length) return null;
  return (
    <div id={`ask-${algorithm.name}`} className={styles.answer}>
      <JobKindCard project={project} algorithm={algorithm} />
    </div>
  );
}

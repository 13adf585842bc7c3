import { useEffect } from "react";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { DeskLink } from "../../tasks/DeskLink";
import { traitsOf } from "../../tasks/traits";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import styles from "./JobsScreen.module.css";

/** The kinds of jobs that answer something, by what is asked most. */
export const QUESTIONS = [
  "select_instructions",
  "certify",
  "relabel",
  "prune",
  "taufe",
  "localize",
] as const;
export type Question = (typeof QUESTIONS)[number];

export const isQuestion = (kind: string): kind is Question =>
  (QUESTIONS as readonly string[]).includes(kind);

type QuestionsProps = {
  project: Project;
  /** Those that can be answered here. */
  questions: Question[];
  asked: string | null;
  onAsk: (question: Question) => void;
};

/** Where one begins who knows what they want to know, and not which algorithm tells it. */
export function Questions({ project, questions, asked, onAsk }: QuestionsProps) {
  const { questions: text } = t.jobs;
  useEffect(() => {
    if (asked) document.getElementById(`ask-${asked}`)?.scrollIntoView({ block: "nearest" });
  }, [asked]);
  return (
    <Card title={text.title} hint={text.hint}>
      <ul className={styles.questions}>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" className={styles.question} onClick={() => onAsk(question)}>
              <strong>{text.ask[question].title}</strong>
              <span>{text.ask[question].text}</span>
            </button>
          </li>
        ))}
      </ul>
      <Missing project={project} />
    </Card>
  );
}

/** What has to be there before there is an answer to any of them. */
function Missing({ project }: { project: Project }) {
  const { id, counts, state } = project;
  const { isCurated } = traitsOf(project);
  const { questions: text } = t.jobs;
  const labels = counts.labeled_in + counts.labeled_ood;
  if (counts.pool > 0 && (labels > 0 || isCurated)) return null;
  const hasQueue = counts.pool > 0 && state === "running";
  return (
    <p className={styles.missing}>
      {isCurated ? t.jobs.needsImages : counts.pool === 0 ? text.noImages : text.noLabels}{" "}
      {hasQueue ? (
        <DeskLink project={project} to={`/projects/${id}/label`} size="small">
          {t.projects.label}
        </DeskLink>
      ) : (
        <ButtonLink to={`/projects/${id}/settings#images`} size="small">
          {t.overview.importMore}
        </ButtonLink>
      )}
    </p>
  );
}

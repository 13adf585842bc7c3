import { Link } from "react-router";
import { reviewPath } from "../../api/reviews";
import type { ProjectListed, ProjectWork, ReviewedJob } from "../../api/types";
import { OfMedium } from "../../media/MediumContext";
import { Thumbnail } from "../../media/Thumbnail";
import { t, words } from "../../strings";
import { DeskLink } from "../../tasks/DeskLink";
import { hasTaskView, traitsOf } from "../../tasks/traits";
import { ButtonLink } from "../../ui/Button";
import { formatCount } from "../../ui/format";
import { SpentMeter } from "../../ui/Meter";
import { ProjectChip } from "../../ui/ProjectChip";
import { Said } from "../../ui/Said";
import styles from "./ProjectCard.module.css";

type ProjectCardProps = {
  project: ProjectListed;
  /** Missing where the user is no member, or as long as it is not known. */
  work: ProjectWork | undefined;
};

export function ProjectCard({ project, work }: ProjectCardProps) {
  const { id, name, state, medium, counts, pictures, excerpts, current_round: round } = project;
  const named = traitsOf(project).words.counts();
  // Labels that came with the images can be reviewed before anything is started.
  const isToReview = work && (work.reviews || work.disagreements > 0);
  const canManage = project.permissions.includes("manage");
  const home = project.permissions.includes("review") ? `/projects/${id}` : `/projects/${id}/label`;
  return (
    <article className={styles.card}>
      <header>
        <h2 className={styles.name}>
          <Link to={state === "draft" && canManage ? `/projects/${id}/settings` : home}>
            {name}
          </Link>
        </h2>
        <ProjectChip project={project} />
      </header>
      <div className={styles.body}>
        <div className={styles.pictures} data-medium={medium}>
          <OfMedium medium={medium}>
            {pictures.map((example, index) => (
              <Thumbnail
                key={example}
                example={{ id: example, excerpt: excerpts[index] ?? null }}
                alt=""
                loading="lazy"
                decoding="async"
              />
            ))}
          </OfMedium>
        </div>
        <dl className={styles.counts}>
          <Count value={counts.pool} label={t.projects.counts.pool} />
          <Count value={counts.labeled_in} label={named.labeled} />
          {named.none && <Count value={counts.labeled_ood} label={named.none} />}
        </dl>
        {(state !== "draft" || isToReview) && <Waiting work={work} project={project} />}
      </div>
      <footer>
        {round ? (
          <SpentMeter label={t.projects.round(round.number)} round={round} />
        ) : (
          // A finished one has none either, and says so above.
          <p className={styles.idle}>{state === "draft" && t.projects.noRound}</p>
        )}
        {state === "draft" ? (
          canManage && <ButtonLink to={`/projects/${id}/settings`}>{t.projects.setUp}</ButtonLink>
        ) : state === "finished" ? (
          canManage && (
            <ButtonLink
              to={`/projects/${id}/settings#exports`}
              aria-label={t.projects.takeAwayOf(name)}
            >
              {t.projects.takeAway}
            </ButtonLink>
          )
        ) : (
          <DeskLink
            project={project}
            to={`/projects/${id}/label`}
            kind={state === "running" ? "primary" : "secondary"}
            aria-label={t.projects.labelProject(name)}
          >
            {t.projects.label}
          </DeskLink>
        )}
      </footer>
    </article>
  );
}

function Count({ value, label }: { value: number; label: string }) {
  return (
    <div>
      <dd>{formatCount(value)}</dd>
      <dt>{label}</dt>
    </div>
  );
}

/** What the user can do here; its line is there before it is known, so that nothing moves. */
type WaitingProps = { work: ProjectWork | undefined; project: ProjectListed };

function Waiting({ work, project }: WaitingProps) {
  const { home: text } = words[project.medium];
  const hasDesk = hasTaskView(project);
  if (!work) return <p className={styles.waiting} />;
  return (
    <p className={styles.waiting}>
      {work.waiting > 0
        ? // What a script labels waits for nobody.
          hasDesk && <strong>{text.waiting(work.waiting)}</strong>
        : // The card says below that it is not started.
          work.waiting_for !== "start" && <WhyNone work={work} project={project} />}
      {hasDesk && work.reviews && (
        <ToReview
          project={work}
          jobId={work.reviews.job_id}
          text={text.reviews(work.reviews.open)}
        />
      )}
      {hasDesk && work.disagreements > 0 && (
        <ToReview project={work} jobId={null} text={text.disagreements(work.disagreements)} />
      )}
    </p>
  );
}

function WhyNone({ work, project }: { work: ProjectWork; project: ProjectListed }) {
  const { home: text } = words[project.medium];
  const { waiting_for: why, waits } = work;
  if (waits) {
    return (
      <span>
        <Said>{waits}</Said> {text.byThemselves}
      </span>
    );
  }
  const round = project.current_round;
  const isFirst = why === "training" && round?.number === 0 && round.state === "selecting";
  return isFirst ? text.first : text.waitingFor[why];
}

type ToReviewProps = { project: ProjectWork; jobId: ReviewedJob; text: string };

/** Beside those of other cards, a link says to those who hear it which project it is about. */
function ToReview({ project, jobId, text }: ToReviewProps) {
  return (
    <Link to={reviewPath(project.id, jobId)} aria-label={`${text}, ${project.name}`}>
      {text}
    </Link>
  );
}

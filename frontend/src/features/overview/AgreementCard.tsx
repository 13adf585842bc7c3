import { useQuery } from "@tanstack/react-query";
import { agreementQuery } from "../../api/agreement";
import { reviewPath, reviewsQuery } from "../../api/reviews";
import type { Agreement, Project, ProjectAgreement, Review } from "../../api/types";
import { t } from "../../strings";
import { DeskLink } from "../../tasks/DeskLink";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent } from "../../ui/format";
import { Table } from "../../ui/Table";
import { TakeBackReview } from "../../ui/TakeBackReview";
import { ModelsCard } from "./ModelsCard";
import styles from "./OverviewScreen.module.css";
import { ProposalsCard } from "./ProposalsCard";

const { agreement: text } = t.overview;

/** How far those agree who have judged the same images; nothing where nobody has. */
export function AgreementCard({ project }: { project: Project }) {
  const { id: projectId } = project;
  const found = useQuery(agreementQuery(projectId)).data;
  const reviews = useQuery(reviewsQuery(projectId)).data?.items ?? [];
  const review = reviews.find((one) => one.job_id === null);
  if (!found) return null;
  const hasProposals = found.voters.some((one) => one.proposals && one.proposals.proposals > 0);
  return (
    <>
      {(found.examples > 0 || review) && (
        <Card title={text.title} hint={found.examples > 0 && text.hint(found.examples)}>
          {review && <Disagreements project={project} review={review} />}
          {found.examples > 0 && <Voters found={found} />}
        </Card>
      )}
      {hasProposals && <ProposalsCard found={found} />}
      {found.models.length > 0 && <ModelsCard models={found.models} />}
    </>
  );
}

function Disagreements({ project, review }: { project: Project; review: Review }) {
  const { open, total, decided } = review;
  return (
    <div className={styles.disagreements}>
      <p>
        {open > 0 && <strong>{text.disagreements(open)}</strong>}{" "}
        {total > open && t.review.disagreements.doneText(total - open, decided)}
      </p>
      <div className={styles.actions}>
        <TakeBackReview projectId={project.id} review={review} size="small" />
        {open > 0 && (
          <DeskLink project={project} to={reviewPath(project.id, null)} kind="primary" size="small">
            {text.decide}
          </DeskLink>
        )}
      </div>
    </div>
  );
}

function Voters({ found }: { found: ProjectAgreement }) {
  const everybody = { ...found, user_id: undefined, name: text.everybody, votes: null };
  const labels = found.voters.some((one) => one.proposals) ? text.boxes : text.classes;
  return (
    <Table label={text.title}>
      <thead>
        <tr>
          <th scope="col">{text.who}</th>
          {[text.votes, text.inOod, text.alpha, labels, text.alpha].map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns have one name, and none moves.
            <th key={index} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[everybody, ...found.voters].map((one) => (
          <tr key={`${one.user_id} ${one.name}`}>
            <th scope="row">{one.name}</th>
            <td data-number>{one.votes === null ? "" : formatCount(one.votes)}</td>
            <Figures agreement={one.in_ood} />
            <Figures agreement={one.classes} />
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Figures({ agreement }: { agreement: Agreement }) {
  return (
    <>
      <td data-number>{formatPercent(agreement.share)}</td>
      <td data-number>{agreement.alpha === null ? "–" : agreement.alpha.toFixed(2)}</td>
    </>
  );
}

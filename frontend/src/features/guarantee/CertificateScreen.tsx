import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { isNotFound } from "../../api/errors";
import { type CertificateDetail, certificateQuery, reportUrl } from "../../api/guarantee";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { type Figure, Figures } from "../../ui/Figures";
import { formatCount, formatDateTime } from "../../ui/format";
import { Parts } from "../../ui/Meter";
import { highOf, sureOf } from "../../ui/outOf";
import { Said } from "../../ui/Said";
import { Failure, Loading, Notice, Skeleton } from "../../ui/State";
import { TONES } from "./CertificateList";
import styles from "./Guarantee.module.css";
import { LotsTable } from "./LotsTable";
import { Standing } from "./Standing";
import { imagesOf, isUnderWay } from "./words";

type CertificateScreenProps = {
  project: Project;
  id: number;
  /** Shown where the project has no such guarantee. */
  missing: ReactNode;
};

/** One guarantee: how it stands, which groups hold, and what becomes of the images. */
export function CertificateScreen({ project, id, missing }: CertificateScreenProps) {
  const found = useQuery({
    ...certificateQuery(project.id, id),
    // Events tell of answers; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 2_000 : false),
  });
  if (isNotFound(found.error)) return missing;
  if (found.error && !found.data) {
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  }
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="20rem" />
      </Loading>
    );
  }
  return <Found project={project} certificate={found.data} />;
}

type FoundProps = { project: Project; certificate: CertificateDetail };

function Found({ project, certificate }: FoundProps) {
  const { page: text, states } = t.guarantee;
  const { id, state, target, confidence, scope, created_at: begun, created_by: by } = certificate;
  const lots = certificate.lots_of;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Link to={`/projects/${project.id}`}>{text.back}</Link>
        <div className={styles.title}>
          <h2>{text.title(id)}</h2>
          <Chip tone={TONES[state]} dot>
            {states[state]}
          </Chip>
        </div>
        <p className={styles.promised}>
          {text.promise(highOf(target), sureOf(confidence))} {scope === "class" && text.scopeClass}
        </p>
        <p className={styles.quiet}>{text.begun(formatDateTime(begun), by)}</p>
      </header>
      {certificate.warnings.map((warning) => (
        <Notice key={warning} tone="gold">
          <Said>{warning}</Said>
        </Notice>
      ))}
      <Standing project={project} certificate={certificate} />
      {lots.length > 0 && <Outcome certificate={certificate} />}
      {lots.length > 0 && (
        <Card title={t.guarantee.lots.title} hint={t.guarantee.lots.hint}>
          <LotsTable
            lots={lots}
            classes={project.classes}
            target={target}
            apart={scope === "class"}
          />
        </Card>
      )}
      {lots.length > 0 && (
        <Card
          title={text.report}
          hint={text.reportHint}
          actions={
            <>
              <ButtonLink to="report" size="small">
                {text.toReport}
              </ButtonLink>
              <ButtonLink to={reportUrl(project.id, id)} size="small" reloadDocument download>
                {text.json}
              </ButtonLink>
            </>
          }
        >
          <People certificate={certificate} />
        </Card>
      )}
    </div>
  );
}

/** What becomes of the images, and what is known of the labels so far. */
function Outcome({ certificate }: { certificate: CertificateDetail }) {
  const { page: text } = t.guarantee;
  const { bound, missed_bound: missed, expected_answers: more, state, auto, people } = certificate;
  const { open } = imagesOf(certificate.lots_of);
  // Whoever checked an image has labeled it; neither the model nor anybody else is to.
  const looked = Math.max(0, certificate.images - auto - people - open);
  const figures: Figure[] = [[text.answers, formatCount(certificate.answered)]];
  if (state === "asking" && more !== null) {
    figures.push([text.expected, text.about(formatCount(more))]);
  }
  // Of labels that are not there nothing is promised.
  const isPromised = state !== "revoked" && state !== "refused";
  if (bound && isPromised) {
    figures.push([
      text.bound,
      t.guarantee.atMost(highOf(bound.share)),
      text.boundHint(bound.wrong, bound.of),
    ]);
  }
  if (missed && isPromised)
    figures.push([text.missed, t.guarantee.atMost(highOf(missed.share)), text.missedHint]);
  return (
    <Card title={text.outcome} hint={text.outcomeHint(certificate.images)}>
      <Parts
        label={text.outcome}
        parts={[
          { label: text.parts.auto, value: auto, tone: "in" },
          { label: text.parts.looked, value: looked, tone: "unsure" },
          { label: text.parts.open, value: open, tone: "open" },
          { label: text.parts.people, value: people, tone: "rest" },
        ]}
      />
      <Figures figures={figures} />
    </Card>
  );
}

function People({ certificate: { human } }: { certificate: CertificateDetail }) {
  if (!human) return null;
  const { page: text } = t.guarantee;
  return (
    <p className={styles.quiet}>{text.human(human.pairs, human.disagreed, highOf(human.high))}</p>
  );
}

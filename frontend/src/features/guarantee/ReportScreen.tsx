import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { isNotFound } from "../../api/errors";
import { type CertificateReport, reportQuery, reportUrl } from "../../api/guarantee";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { formatDateTime } from "../../ui/format";
import { aboutOf, highOf, sureOf } from "../../ui/outOf";
import { Said } from "../../ui/Said";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { LotsTable } from "./LotsTable";
import styles from "./Report.module.css";
import { ByClass, Fingerprints, Looked } from "./reportParts";

type ReportScreenProps = {
  project: Project;
  id: number;
  /** Shown where the project has no such guarantee. */
  missing: ReactNode;
};

/** What is handed to whoever has to rely on the labels: a page to print, and the same as JSON. */
export function ReportScreen({ project, id, missing }: ReportScreenProps) {
  const found = useQuery(reportQuery(project.id, id));
  if (isNotFound(found.error)) return missing;
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="30rem" />
      </Loading>
    );
  }
  return <Report project={project} report={found.data} />;
}

function Report({ project, report }: { project: Project; report: CertificateReport }) {
  const { report: text } = t.guarantee;
  const { certificate, made_at: made } = report;
  return (
    <>
      <div className={styles.bar}>
        <Link to={`/projects/${project.id}/certificates/${certificate.id}`}>{text.back}</Link>
        <Button size="small" kind="primary" onClick={() => window.print()}>
          {text.print}
        </Button>
        <ButtonLink to={reportUrl(project.id, certificate.id)} size="small" reloadDocument download>
          {text.json}
        </ButtonLink>
      </div>
      <article className={styles.report} aria-labelledby="report-title">
        <header>
          <h2 id="report-title">{text.title}</h2>
          <p>
            {report.project}, {t.guarantee.page.title(certificate.id)}.{" "}
            {text.made(formatDateTime(made))}
          </p>
        </header>
        <section>
          <h3>{text.promise}</h3>
          <Promised report={report} />
        </section>
        <section>
          <h3>{text.looked}</h3>
          <Looked report={report} />
        </section>
        <section>
          <h3>{text.perClass}</h3>
          <ByClass report={report} classes={project.classes} />
        </section>
        <section>
          <h3>{text.how}</h3>
          <p>{text.howText}</p>
          <LotsTable
            lots={certificate.lots_of}
            classes={project.classes}
            target={certificate.target}
            apart={certificate.scope === "class"}
          />
          <p>
            {certificate.human
              ? text.human(
                  certificate.human.pairs,
                  certificate.human.disagreed,
                  aboutOf(certificate.human.share),
                  highOf(certificate.human.high),
                )
              : text.humanNone}
          </p>
        </section>
        <section>
          <h3>{text.basis}</h3>
          <ul className={styles.list}>
            {report.assumptions.map((code) => (
              <li key={code}>{text.assumptions[code] ?? code}</li>
            ))}
            {report.certificate.warnings.map((warning) => (
              <li key={warning}>
                <Said>{warning}</Said>
              </li>
            ))}
          </ul>
        </section>
        <Fingerprints report={report} />
      </article>
    </>
  );
}

/** The promise in words, with what has become of the labels since. */
function Promised({ report: { certificate } }: { report: CertificateReport }) {
  const { report: text } = t.guarantee;
  const { state, bound, missed_bound: missed, target, confidence } = certificate;
  const isSettled = state === "ready" || state === "applying" || state === "applied";
  return (
    <>
      {isSettled && bound && (
        <p className={styles.promise}>
          {text.promised(bound.wrong, bound.of, highOf(bound.share), sureOf(confidence))}
        </p>
      )}
      {isSettled && missed && <p>{text.missed(missed.wrong, missed.of, highOf(missed.share))}</p>}
      {(state === "ready" || state === "applying") && <p>{text.notApplied}</p>}
      {(state === "asking" || state === "scoring") && <p>{text.notYet}</p>}
      {(state === "revoked" || state === "revoking") && <p>{text.revoked}</p>}
      {state === "refused" && <p>{text.refused}</p>}
      <p>
        {text.asked(highOf(target), sureOf(confidence))} {text.peopleLabels}
      </p>
    </>
  );
}

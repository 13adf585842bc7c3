import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type Certificate, certificatesQuery } from "../../api/guarantee";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { More } from "../../ui/More";
import { highOf, sureOf } from "../../ui/outOf";
import styles from "./Guarantee.module.css";

export const TONES = {
  scoring: "plain",
  asking: "gold",
  ready: "good",
  applying: "gold",
  applied: "good",
  revoking: "gold",
  revoked: "plain",
  refused: "bad",
} as const satisfies Record<Certificate["state"], "plain" | "gold" | "good" | "bad">;

/** The guarantees of a project, the latest first, each with how it stands. */
export function CertificateList({ projectId }: { projectId: number }) {
  const { start: text, states } = t.guarantee;
  const found = useInfiniteQuery(certificatesQuery(projectId));
  const all = found.data?.pages.flatMap(({ items }) => items) ?? [];
  if (all.length === 0) return null;
  return (
    <section className={styles.earlier}>
      <h3>{text.earlier}</h3>
      <ul aria-label={text.earlier}>
        {all.map((one) => (
          <li key={one.id}>
            <Link to={`/projects/${projectId}/certificates/${one.id}`}>
              {text.line(highOf(one.target), sureOf(one.confidence))}
            </Link>
            <Chip tone={one.stalled === null ? TONES[one.state] : "bad"}>{states[one.state]}</Chip>
            <small>{standing(one)}</small>
          </li>
        ))}
      </ul>
      <More list={found} size="small">
        {text.showEarlier}
      </More>
    </section>
  );
}

/** How a guarantee stands, in a sentence. */
function standing(certificate: Certificate): string {
  const { state, answered, waiting, auto, stalled } = certificate;
  const { lineStates: text } = t.guarantee.start;
  if (stalled !== null) return t.guarantee.start.stalled;
  switch (state) {
    case "asking":
      return text.asking(answered, certificate.expected_answers, waiting);
    case "ready":
      return text.ready(auto);
    case "applied":
      return text.applied(auto);
    default:
      return text[state]();
  }
}

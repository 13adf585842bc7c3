import { pageUrl } from "../api/pages";
import type { Algorithm } from "../api/types";
import { t } from "../strings";
import styles from "./DocumentationLink.module.css";

/** Leads to the page that explains an algorithm, if there is one. */
export function DocumentationLink({ algorithm }: { algorithm: Algorithm }) {
  const url = pageUrl(algorithm);
  if (!url) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className={styles.link}
      aria-label={t.setup.documentationOf(algorithm.title)}
    >
      {t.setup.documentation}
    </a>
  );
}

import { useState } from "react";
import { exportUrl } from "../../api/projects";
import type { ExportFormat, Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { CheckField } from "../../ui/Field";
import styles from "./SetupScreen.module.css";

const FORMATS: ExportFormat[] = ["csv", "jsonl", "imagefolder"];

/** What there is to take away, in which form. */
export function ExportsCard({ project }: { project: Project }) {
  const [effective, setEffective] = useState(false);
  const { labeled_in: labeled, labeled_ood: ood, unsure } = project.counts;
  const nothing = labeled + ood + unsure === 0;
  return (
    <Card title={t.setup.exports} hint={t.setup.exportsHint} id="exports">
      <p className={styles.quiet}>
        {nothing ? t.setup.exportNothing : t.setup.exportCounts(labeled, ood, unsure)}
      </p>
      <CheckField
        label={t.setup.exportHolding}
        hint={t.setup.exportHoldingHint}
        checked={effective}
        onChange={(event) => setEffective(event.target.checked)}
      />
      <ul className={styles.members} aria-label={t.setup.exports}>
        {FORMATS.map((format) => {
          const { title, text } = t.setup.exportFormats[format];
          return (
            <li key={format}>
              <div>
                {title}
                <div className={styles.quiet}>{text}</div>
              </div>
              <a
                href={exportUrl(project.id, format, effective && format !== "imagefolder")}
                download
                aria-label={t.setup.downloadThis(title)}
              >
                {t.setup.download}
              </a>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

import { useState } from "react";
import { exportUrl } from "../../api/projects";
import type { ExportFormat, Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { CheckField } from "../../ui/Field";
import styles from "./ExportsCard.module.css";
import shared from "./SetupScreen.module.css";

type FormatGroup = {
  label: string;
  formats: ExportFormat[];
  /** What these formats can be asked for beside, and how the page says so. */
  option: "effective" | "unlabeled";
  optionLabel: string;
  optionHint: string;
};

const GROUPS: FormatGroup[] = [
  {
    label: t.exports.annotations,
    formats: ["csv", "jsonl"],
    option: "effective",
    optionLabel: t.exports.holding,
    optionHint: t.exports.holdingHint,
  },
  {
    label: t.exports.images,
    formats: ["label_studio", "parquet", "coco", "yolo", "imagefolder"],
    option: "unlabeled",
    optionLabel: t.exports.unlabeled,
    optionHint: t.exports.unlabeledHint,
  },
];
/** Those whose JSON is of use without the images. */
const DOCUMENTS: ExportFormat[] = ["label_studio", "coco"];

/** What there is to take away, in which form. */
export function ExportsCard({ project }: { project: Project }) {
  const { labeled_in: labeled, labeled_ood: ood, unsure } = project.counts;
  const nothing = labeled + ood + unsure === 0;
  return (
    <Card title={t.exports.title} hint={t.exports.hint} id="exports">
      <p className={shared.quiet}>
        {nothing ? t.exports.nothing : t.exports.counts(labeled, ood, unsure)}
      </p>
      {GROUPS.map((group) => (
        <FormatList key={group.option} group={group} projectId={project.id} />
      ))}
    </Card>
  );
}

function FormatList({ group, projectId }: { group: FormatGroup; projectId: number }) {
  const [checked, setChecked] = useState(false);
  const options = { [group.option]: checked };
  return (
    <div className={styles.group}>
      <h3>{group.label}</h3>
      <CheckField
        label={group.optionLabel}
        hint={group.optionHint}
        checked={checked}
        onChange={(event) => setChecked(event.target.checked)}
      />
      <ul className={shared.rows} aria-label={group.label}>
        {group.formats.map((format) => {
          const { title, text } = t.exports.formats[format];
          return (
            <li key={format}>
              <div>
                {title}
                <div className={shared.quiet}>{text}</div>
              </div>
              <div className={styles.links}>
                <a
                  href={exportUrl(projectId, format, options)}
                  download
                  aria-label={t.exports.downloadThis(title)}
                >
                  {t.exports.download}
                </a>
                {DOCUMENTS.includes(format) && (
                  <a
                    href={exportUrl(projectId, format, { ...options, images: false })}
                    download
                    aria-label={t.exports.onlyJsonOf(title)}
                  >
                    {t.exports.onlyJson}
                  </a>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

import { useState } from "react";
import { type ExportOptions, exportUrl } from "../../api/projects";
import type { ExportFormat, Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { CheckField } from "../../ui/Field";
import styles from "./ExportsCard.module.css";

const TABLES: ExportFormat[] = ["csv", "jsonl"];
const IMAGES: ExportFormat[] = ["label_studio", "parquet", "coco", "yolo", "imagefolder"];
/** Those whose JSON is of use without the images. */
const DOCUMENTS: ExportFormat[] = ["label_studio", "coco"];

/** What there is to take away, in which form. */
export function ExportsCard({ project }: { project: Project }) {
  const [effective, setEffective] = useState(false);
  const [unlabeled, setUnlabeled] = useState(false);
  const { labeled_in: labeled, labeled_ood: ood, unsure } = project.counts;
  const nothing = labeled + ood + unsure === 0;
  return (
    <Card title={t.exports.title} hint={t.exports.hint} id="exports">
      <p className={styles.quiet}>
        {nothing ? t.exports.nothing : t.exports.counts(labeled, ood, unsure)}
      </p>
      <FormatList
        label={t.exports.annotations}
        formats={TABLES}
        projectId={project.id}
        options={{ effective }}
      >
        <CheckField
          label={t.exports.holding}
          hint={t.exports.holdingHint}
          checked={effective}
          onChange={(event) => setEffective(event.target.checked)}
        />
      </FormatList>
      <FormatList
        label={t.exports.images}
        formats={IMAGES}
        projectId={project.id}
        options={{ unlabeled }}
      >
        <CheckField
          label={t.exports.unlabeled}
          hint={t.exports.unlabeledHint}
          checked={unlabeled}
          onChange={(event) => setUnlabeled(event.target.checked)}
        />
      </FormatList>
    </Card>
  );
}

type FormatListProps = {
  label: string;
  formats: ExportFormat[];
  projectId: number;
  options: ExportOptions;
  children: React.ReactNode;
};

function FormatList({ label, formats, projectId, options, children }: FormatListProps) {
  return (
    <div className={styles.group}>
      <h3>{label}</h3>
      {children}
      <ul className={styles.formats} aria-label={label}>
        {formats.map((format) => {
          const { title, text } = t.exports.formats[format];
          return (
            <li key={format}>
              <div>
                {title}
                <div className={styles.quiet}>{text}</div>
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

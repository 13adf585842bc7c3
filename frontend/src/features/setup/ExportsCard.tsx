import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import {
  type ExportOptions,
  exportedClassesQuery,
  exportFormatsQuery,
  exportUrl,
} from "../../api/projects";
import { snapshotsQuery } from "../../api/snapshots";
import type { ExportFormat, Project } from "../../api/types";
import { useMedium } from "../../media/MediumContext";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { CheckField, SelectField } from "../../ui/Field";
import { Notice } from "../../ui/State";
import styles from "./ExportsCard.module.css";
import { OnlyPart } from "./OnlyPart";
import shared from "./SetupScreen.module.css";

type FormatGroup = {
  label: string;
  formats: ExportFormat[];
  /** What these formats can be asked for beside, and how the page says so. */
  options: { name: "effective" | "unlabeled" | "bom"; label: string; hint: string }[];
};

/** Of rows of instruction data, and of everything else. */
const ofRows = (): FormatGroup[] => [
  { label: t.exports.rows, formats: ["alpaca", "messages", "parquet"], options: [] },
  { label: t.exports.annotations, formats: ["rankings"], options: [] },
];
const groups = (unlabeledHint: string): FormatGroup[] => [
  {
    label: t.exports.annotations,
    formats: ["csv", "jsonl"],
    options: [
      { name: "effective", label: t.exports.holding, hint: t.exports.holdingHint },
      { name: "bom", label: t.exports.bom, hint: t.exports.bomHint },
    ],
  },
  {
    label: t.exports.images,
    formats: ["doccano", "label_studio", "parquet", "coco", "yolo", "voc", "cvat", "imagefolder"],
    options: [{ name: "unlabeled", label: t.exports.unlabeled, hint: unlabeledHint }],
  },
];
/** Those whose JSON is of use without the images. */
const DOCUMENTS: ExportFormat[] = ["label_studio", "coco"];
/** Those that images with classes have had from the beginning, so that nobody has to be asked. */
const OF_CLASSES: ExportFormat[] = [
  "csv",
  "jsonl",
  "label_studio",
  "parquet",
  "coco",
  "yolo",
  "imagefolder",
];

/** What there is to take away, in which form. */
export function ExportsCard({ project }: { project: Project }) {
  const { labeled_in: labeled, no_objects: empty, labeled_ood: ood, unsure } = project.counts;
  const { namesOneClass, hasClasses, hasParts, emptyLabel } = traitsOf(project);
  const counts = emptyLabel
    ? t.boxes.exported(labeled - empty, empty, ood, unsure)
    : t.exports.counts(labeled, ood, unsure);
  const { unlabeledHint } = managerWordsOf(project).setup();
  const nothing = labeled + ood + unsure === 0;
  const [chosen, setSnapshot] = useState("");
  const [people, setPeople] = useState(false);
  const snapshots = useQuery(snapshotsQuery(project.id)).data?.items ?? [];
  // What the pool page showed, if one came from there: a part, of what holds now.
  const only = useSearchParams()[0].get("only") ?? "";
  // It may have been removed since.
  const isThere = !only && snapshots.some(({ name }) => name === chosen);
  const snapshot = isThere ? chosen : "";
  return (
    <Card
      title={t.exports.title}
      hint={hasParts ? t.exports.rowsHint : t.exports.hint}
      id="exports"
    >
      {only ? (
        <OnlyPart projectId={project.id} only={only} />
      ) : (
        <p className={shared.quiet}>{nothing ? t.exports.nothing : counts}</p>
      )}
      {!only && !nothing && hasClasses && <Lacking project={project} />}
      {!only && snapshots.length > 0 && (
        <SelectField
          label={t.snapshots.exportAs}
          hint={snapshot === "" ? undefined : t.snapshots.exportAsHint}
          value={snapshot}
          onChange={(event) => setSnapshot(event.target.value)}
        >
          <option value="">{t.snapshots.now}</option>
          {snapshots.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {namesOneClass && (
        <CheckField
          label={t.exports.people}
          hint={t.exports.peopleHint}
          checked={people}
          onChange={(event) => setPeople(event.target.checked)}
        />
      )}
      {(hasParts ? ofRows() : groups(unlabeledHint)).map((group) => (
        <FormatList
          key={group.label}
          group={group}
          project={project}
          of={{ snapshot, people, only }}
        />
      ))}
    </Card>
  );
}

/** Which classes a model cannot be measured on, or trained on, with what leaves. */
function Lacking({ project }: { project: Project }) {
  const { data: classes = [] } = useQuery(exportedClassesQuery(project.id));
  const hasFolders = useMedium() !== "text" && !traitsOf(project).isDrawn;
  const unseen = classes.filter((one) => one.evaluation === 0).map((one) => one.name);
  const unlabeled = classes.filter((one) => one.labeled === 0).map((one) => one.name);
  const hasEvaluation = unseen.length < classes.length;
  if (unseen.length + unlabeled.length === 0) return null;
  return (
    <Notice>
      {hasEvaluation ? (
        unseen.length > 0 && <p>{t.exports.unseen(unseen)}</p>
      ) : (
        <p>{t.exports.noEvaluation}</p>
      )}
      {unlabeled.length > 0 && <p>{t.exports.unlabeledClasses(unlabeled)}</p>}
      {hasFolders && <p>{t.exports.emptyFolders}</p>}
    </Notice>
  );
}

type FormatListProps = {
  group: FormatGroup;
  project: Project;
  /** What all formats are asked for alike. */
  of: Required<Pick<ExportOptions, "snapshot" | "people" | "only">>;
};

function FormatList({ group, project, of }: FormatListProps) {
  const projectId = project.id;
  const [chosen, setOptions] = useState<ExportOptions>({});
  const options = { ...chosen, ...of };
  const isText = useMedium() === "text";
  const isUsual = !isText && traitsOf(project).namesOneClass;
  const formats = useQuery({ ...exportFormatsQuery(projectId), enabled: !isUsual }).data;
  const isOffered = (format: ExportFormat) =>
    isUsual
      ? OF_CLASSES.includes(format)
      : formats?.some(({ name, refused }) => name === format && refused === null) === true;
  const words = { ...t.exports.formats, ...managerWordsOf(project).formats() };
  return (
    <div className={styles.group}>
      <h3>{group.label}</h3>
      {group.options.map(({ name, label, hint }) => (
        <CheckField
          key={name}
          label={label}
          hint={hint}
          checked={options[name] ?? false}
          onChange={(event) => setOptions({ ...chosen, [name]: event.target.checked })}
        />
      ))}
      <ul className={shared.rows} aria-label={group.label}>
        {group.formats.filter(isOffered).map((format) => {
          const { title, text } = words[format];
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
                {DOCUMENTS.includes(format) && !isText && (
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

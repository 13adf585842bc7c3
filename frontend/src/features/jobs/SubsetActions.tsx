import { subsetUrl } from "../../api/subsets";
import type { Project, Settings, SubsetFormat } from "../../api/types";
import { useMedium } from "../../media/MediumContext";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useManages } from "../../ui/managing";
import styles from "./JobsScreen.module.css";
import { useSettingsChange } from "./useSettingsChange";

const { subset: text, subsets } = t.jobs;
const FORMATS: SubsetFormat[] = ["csv", "parquet", "ids", "imagefolder"];

type SubsetUseProps = { project: Project & { settings: Settings }; subsetId: number };

/** Makes rounds train on a subset, or on all labels again. */
export function SubsetUse({ project, subsetId }: SubsetUseProps) {
  const change = useSettingsChange(project.id);
  const inUse = project.settings.subset === subsetId;
  return (
    <>
      {inUse && <Chip tone="good">{text.inUse}</Chip>}
      <Button
        manages
        size="small"
        kind={inUse ? "secondary" : "primary"}
        busy={change.isPending}
        onClick={() => change.mutate({ subset: inUse ? null : subsetId })}
      >
        {inUse ? text.stop : text.use}
      </Button>
      <ErrorNotice error={change.error} />
    </>
  );
}

type SubsetExportProps = { projectId: number; subsetId: number };

/** Links to each of its formats. */
export function SubsetExport({ projectId, subsetId }: SubsetExportProps) {
  const isText = useMedium() === "text";
  if (!useManages()) return null;
  return (
    <ul className={styles.formats} aria-label={subsets.exportThis(subsetId)}>
      {FORMATS.filter((format) => !isText || format !== "imagefolder").map((format) => (
        <li key={format}>
          <a
            href={subsetUrl(projectId, subsetId, format)}
            title={subsets.formats[format]}
            aria-label={subsets.formats[format]}
            download
          >
            {subsets.short[format]}
          </a>
        </li>
      ))}
    </ul>
  );
}

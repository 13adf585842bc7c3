import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { importsQuery } from "../../api/imports";
import { isFullyLabeled } from "../../api/projects";
import { isActive } from "../../api/rounds";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button, ButtonLink } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { focusInvalid } from "../../ui/focusInvalid";
import { ChooseBar } from "./ChooseBar";
import styles from "./SetupScreen.module.css";
import { uploadsOf } from "./uploads";

type SetupBarProps = {
  project: Project;
  classCount: number;
  dirty: boolean;
  /** What keeps the changes from being saved. */
  problems: string[];
  /** Why the server has refused to save or to start. */
  refused: Error | null;
  saving: boolean;
  starting: boolean;
  onSave: () => void;
  onDiscard: () => void;
  onStart: () => void;
};

/** Says what is still missing before the start, and saves. */
export function SetupBar(props: SetupBarProps) {
  const { project, classCount, dirty, problems, refused, saving, starting } = props;
  const valid = problems.length === 0;
  const isDraft = project.state === "draft";
  const missing = useMissing(project, classCount);
  // What people are asked about is chosen by a job, which opens the round.
  const { isCurated } = traitsOf(project);
  const allLabeled = isDraft && missing.length === 0 && (isCurated || isFullyLabeled(project));
  /** Where every image has a label, there is nothing to ask about: the server would not start. */
  const startable = isDraft && !allLabeled && !isCurated;
  if (allLabeled && !dirty) {
    return isCurated ? (
      <ChooseBar projectId={project.id} />
    ) : (
      <div className={styles.bar}>
        <div className={styles.status} role="status">
          <strong>{t.setup.labeledTitle}</strong>
          <p>{t.setup.labeledText}</p>
        </div>
        <div className={styles.actions}>
          <ButtonLink to={`/projects/${project.id}/jobs`} kind="primary">
            {t.setup.toJobs}
          </ButtonLink>
        </div>
      </div>
    );
  }
  return (
    <div className={styles.bar} id="start">
      {refused && valid && (
        <div className={styles.refused}>
          <ErrorNotice error={refused} />
          {isDraft && dirty && <p className={styles.next}>{t.setup.savedNext}</p>}
        </div>
      )}
      <div className={styles.status} role="status">
        {!valid && (
          <>
            <strong>{t.setup.notSavable}</strong>
            <p>
              {problems.join(" ")} {t.setup.keptHere}
            </p>
          </>
        )}
        {valid && (startable || (isCurated && isDraft && missing.length > 0)) && (
          <>
            <strong>{missing.length === 0 ? t.setup.readyTitle : t.setup.notReady}</strong>
            <p>
              {missing.length === 0
                ? t.setup.summary(
                    t.projects.images(project.counts.pool),
                    t.projects.classes(classCount),
                  )
                : missing.join(" · ")}
            </p>
          </>
        )}
        {valid && !startable && !(isCurated && isDraft && missing.length > 0) && (
          <>
            <strong>{isDraft ? t.setup.notSaved : t.setup.unsaved}</strong>
            <p>{t.setup.keptHere}</p>
          </>
        )}
        {valid && startable && !refused && (
          <p className={styles.saved}>{savedText(saving, dirty)}</p>
        )}
      </div>
      <div className={styles.actions}>
        {!valid && (
          <Button kind="quiet" onClick={() => focusInvalid(document)}>
            {t.setup.showProblem}
          </Button>
        )}
        {dirty && (!isDraft || refused) && (
          <Button kind="quiet" onClick={props.onDiscard}>
            {t.common.cancel}
          </Button>
        )}
        {dirty && (!isDraft || refused) && (
          <Button
            kind={startable ? "secondary" : "primary"}
            disabled={!valid}
            busy={saving}
            onClick={props.onSave}
          >
            {saving ? t.common.saving : isDraft ? t.common.retry : t.setup.saveChanges}
          </Button>
        )}
        {startable && (
          <Button
            kind="primary"
            disabled={missing.length > 0 || !valid}
            busy={starting}
            onClick={props.onStart}
          >
            {t.setup.start}
          </Button>
        )}
      </div>
    </div>
  );
}

const savedText = (saving: boolean, dirty: boolean): string =>
  saving ? t.common.saving : dirty ? t.setup.notSaved : t.setup.allSaved;

function useMissing(project: Project, classCount: number): string[] {
  const uploads = uploadsOf(project.id);
  const entries = useSyncExternalStore(uploads.subscribe, uploads.getEntries);
  const imports = useQuery(importsQuery(project.id));
  const busy =
    entries.some((entry) => entry.state !== "failed") ||
    imports.data?.items.some((job) => !job.dry_run && isActive(job));
  const waits = imports.data?.items.some((job) => job.dry_run);
  const missing = [];
  if (classCount === 0 && traitsOf(project).hasClasses) missing.push(t.setup.needClasses);
  if (busy) missing.push(t.setup.needImport);
  else if (project.counts.pool + project.counts.held_out === 0)
    missing.push(waits ? t.setup.plan.needAnswer : t.setup.needImages);
  return missing;
}

import { useTitles } from "../../api/algorithms";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { useJobsOfKind } from "../../ui/jobs/JobControls";
import { doneBy } from "../../ui/jobs/outcome";
import styles from "./SetupScreen.module.css";

/** Of a draft with instructions: which were chosen last, or that they can be chosen now. */
export function ChooseBar({ projectId }: { projectId: number }) {
  const { ranking: text } = t.setup;
  const titleOf = useTitles("instruction_selection");
  const jobs = useJobsOfKind(projectId, "select_instructions").data?.items ?? [];
  const latest = jobs.find(({ state, dry_run }) => state === "succeeded" && !dry_run);
  return (
    <div className={styles.bar}>
      <div className={styles.status} role="status">
        <strong>{latest ? text.chosenTitle : text.readyTitle}</strong>
        <p>{latest ? doneBy(latest, titleOf) : text.readyText}</p>
      </div>
      <div className={styles.actions}>
        <ButtonLink
          to={`/projects/${projectId}/jobs?ask=select_instructions`}
          kind={latest ? "secondary" : "primary"}
        >
          {latest ? text.chooseAgain : text.choose}
        </ButtonLink>
        {latest && (
          <ButtonLink to={`/projects/${projectId}/jobs/${latest.id}`} kind="primary">
            {t.jobs.showResult.select_instructions}
          </ButtonLink>
        )}
      </div>
    </div>
  );
}

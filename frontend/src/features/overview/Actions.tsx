import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ApiError } from "../../api/errors";
import {
  actOnProject,
  exportUrl,
  type ProjectAction,
  projectQuery,
  projectsQuery,
} from "../../api/projects";
import { closeRound } from "../../api/rounds";
import { type Selection, selectionUrl } from "../../api/selections";
import type { ExportFormat, Project, Round } from "../../api/types";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { Button, ButtonLink } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Menu } from "../../ui/Menu";
import { useManages } from "../../ui/managing";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./OverviewScreen.module.css";

type ActionsProps = {
  project: Project;
  rounds: Round[];
  /** Of instructions: those chosen last, which are what is taken away. */
  chosen?: Selection | undefined;
};

/** What can be done with the project, for those who manage it. */
export function Actions(props: ActionsProps) {
  return useManages() ? <ManagersActions {...props} /> : null;
}

function ManagersActions({ project, rounds, chosen }: ActionsProps) {
  const [closing, setClosing] = useState<number | null>(null);
  const client = useQueryClient();
  const refresh = () => {
    client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
    client.invalidateQueries({ queryKey: projectsQuery.queryKey });
  };
  const act = useMutation({
    mutationFn: (action: ProjectAction) => actOnProject(project.id, action),
    onSuccess: (changed) => client.setQueryData(projectQuery(project.id).queryKey, changed),
    onSettled: refresh,
  });
  const close = useMutation({
    mutationFn: (number: number) => closeRound(project.id, number),
    onSuccess: () => setClosing(null),
    onSettled: refresh,
  });
  const { isCurated, takeAway } = traitsOf(project);
  const { alpaca, messages, parquet, rankings, doccano } = t.exports.formats;
  const names: Partial<Record<ExportFormat, string>> = {
    ...{ alpaca: alpaca.title, messages: messages.title },
    ...{ parquet: parquet.title, rankings: rankings.title, doccano: doccano.title },
    ...t.overview.exports,
    ...t.boxes.exports,
  };
  const open = rounds.find((round) => round.state === "open");
  return (
    <>
      <div className={styles.actions}>
        {project.state === "running" && (
          <Button busy={act.isPending} onClick={() => act.mutate("pause")}>
            {t.overview.pause}
          </Button>
        )}
        {project.state === "paused" && (
          <Button kind="primary" busy={act.isPending} onClick={() => act.mutate("resume")}>
            {t.overview.resume}
          </Button>
        )}
        {isCurated && (
          <ButtonLink to={`/projects/${project.id}/jobs?ask=select_instructions`} kind="primary">
            {t.overview.ranking.choose}
          </ButtonLink>
        )}
        {project.state === "finished" && !isCurated && (
          <Button busy={act.isPending} onClick={() => act.mutate("resume")}>
            {t.overview.another}
          </Button>
        )}
        {open && <Button onClick={() => setClosing(open.number)}>{t.overview.closeRound}</Button>}
        <ButtonLink to={`/projects/${project.id}/settings#images`}>
          {isCurated ? t.overview.ranking.importMore : t.overview.importMore}
        </ButtonLink>
        <Menu label={t.overview.export}>
          {chosen && (
            <a
              href={selectionUrl({ projectId: project.id, jobId: chosen.job_id }, "alpaca")}
              download
            >
              {t.overview.ranking.chosenAs(chosen.kept, alpaca.title)}
            </a>
          )}
          {takeAway(project.medium).map((format) => (
            <a key={format} href={exportUrl(project.id, format)} download>
              {isCurated && format !== "rankings"
                ? t.overview.ranking.allAs(names[format] ?? format)
                : names[format]}
            </a>
          ))}
          <Link to={`/projects/${project.id}/settings#exports`}>
            {managerWordsOf(project).allExports()}
          </Link>
        </Menu>
      </div>
      {act.error && (
        <Notice
          tone="bad"
          actions={
            isOfSettings(act.error) && (
              <ButtonLink to={`/projects/${project.id}/settings#method`} size="small">
                {t.setup.tab}
              </ButtonLink>
            )
          }
        >
          <Said>{act.error}</Said>
        </Notice>
      )}
      {closing !== null && (
        <ConfirmDialog
          title={t.overview.closeConfirm(closing)}
          text={open && isUnanswered(open) ? t.overview.closeEmptyText : t.overview.closeText}
          action={t.overview.closeRound}
          does={close}
          onConfirm={() => close.mutate(closing)}
          onClose={() => setClosing(null)}
        />
      )}
    </>
  );
}

const isOfSettings = (error: Error): boolean =>
  error instanceof ApiError && error.field?.startsWith("settings.") === true;

const isUnanswered = (round: Round): boolean =>
  Object.values(round.answered).every((count) => count === 0);

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { actOnProject, isLabeled, projectQuery } from "../../api/projects";
import type { Project, Settings, User } from "../../api/types";
import { hasTaskView, traitsOf } from "../../tasks/traits";
import { focusInvalid } from "../../ui/focusInvalid";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { useGoOn } from "../../ui/useGoOn";
import { BasicsCard } from "./BasicsCard";
import { DangerCard } from "./DangerCard";
import { ExportsCard } from "./ExportsCard";
import { GoalCard } from "./GoalCard";
import { ImagesCard } from "./ImagesCard";
import { MembersCard } from "./MembersCard";
import { MethodCard } from "./MethodCard";
import { RankingCard } from "./RankingCard";
import { RetentionCard } from "./RetentionCard";
import { SetupBar } from "./SetupBar";
import styles from "./SetupScreen.module.css";
import { SnapshotsCard } from "./snapshots/SnapshotsCard";
import { useSetup } from "./useSetup";

type SetupScreenProps = {
  project: Project & { settings: Settings };
  user: User;
  /** What stands before all. */
  lead?: ReactNode;
  /** What other features let be set here. */
  children?: ReactNode;
};

/** Everything about a project that can be set, before it is started and after. */
export function SetupScreen({ project, user, lead, children }: SetupScreenProps) {
  const { id, state } = project;
  const isDraft = state === "draft";
  const { basics, settings, problems, save, dirty, setBasics, discard } = useSetup(project);
  const client = useQueryClient();
  const goOn = useGoOn();

  const start = useMutation({
    mutationFn: async () => {
      await save.mutateAsync([]);
      client.setQueryData(projectQuery(id).queryKey, await actOnProject(id, "start"));
      client.invalidateQueries({ queryKey: projectQuery(id).queryKey });
    },
    onSuccess: () => goOn(hasTaskView(project) ? `/projects/${id}/label` : `/projects/${id}`),
  });

  const fields = useRef<HTMLDivElement>(null);
  /** Only what the fields show: one that shows no valid value has not handed it on. */
  const ifValid = (act: () => void) => () => {
    if (!fields.current || !focusInvalid(fields.current)) act();
  };
  // Fields begin anew, as what was typed into one that shows no valid value is known to it alone.
  const [discarded, setDiscarded] = useState(0);

  useScrollToHash();
  const classes = basics.classes.map(({ name }) => name.trim()).filter((name) => name !== "");
  const error = start.error ?? save.error;
  const barred = isDraft || dirty;
  const { hasClasses, isCurated, isLearned } = traitsOf(project);
  return (
    <div className={styles.page}>
      {lead}
      <BasicsCard task={project.task} basics={basics} isDraft={isDraft} onChange={setBasics} />
      {isLearned && (
        <GoalCard task={project.task} settings={settings.value} onChange={settings.set} />
      )}
      <div ref={fields} className={styles.fields}>
        <ImagesCard
          project={project}
          // Evaluation images are matched to classes by name, so those have to be saved before.
          classesReady={problems.length === 0 && (!hasClasses || classes.length > 0)}
          seen={settings.value}
          onSeen={(seen) => settings.set({ ...settings.value, ...seen })}
          classes={classes}
          // Once a project runs, nothing is saved but by hand.
          beforeUpload={async (more = []) => {
            if (isDraft || more.length > 0) await save.mutateAsync(more);
          }}
        />
        {isLearned ? (
          <MethodCard
            key={discarded}
            project={project}
            settings={settings.value}
            onChange={settings.set}
          />
        ) : (
          <RankingCard key={discarded} settings={settings.value} onChange={settings.set} />
        )}
      </div>
      <MembersCard project={project} />
      {(!isDraft || isCurated || isLabeled(project)) && <ExportsCard project={project} />}
      {!isDraft && <SnapshotsCard project={project} />}
      {children}
      <RetentionCard project={project} isAdmin={user.role === "admin"} />
      {user.role === "admin" && <DangerCard project={project} />}
      {error && !barred && (
        <Notice tone="bad">
          <Said>{error}</Said>
        </Notice>
      )}
      {barred && (
        <SetupBar
          project={project}
          classCount={classes.length}
          dirty={dirty}
          problems={problems}
          // Where it was pressed: the page is long, and its end far away.
          refused={error}
          saving={save.isPending}
          starting={start.isPending}
          onSave={ifValid(() => {
            start.reset();
            save.mutate([]);
          })}
          onDiscard={() => {
            discard();
            setDiscarded(discarded + 1);
          }}
          onStart={ifValid(() => start.mutate())}
        />
      )}
    </div>
  );
}

/** Links such as `settings#images` lead to a card that is there only after the project has loaded. */
function useScrollToHash(): void {
  const { hash, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link that is followed again, too.
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash, key]);
}

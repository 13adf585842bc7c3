import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { actOnProject, projectQuery, projectsQuery, updateProject } from "../../api/projects";
import type { Project, Settings, User } from "../../api/types";
import { focusInvalid } from "../../ui/focusInvalid";
import { Notice } from "../../ui/State";
import { type Basics, BasicsCard, problemsOf } from "./BasicsCard";
import { type ClassEdits, editsOf, toDrafts, toInputs, withEdits, withNew } from "./classes";
import { DangerCard } from "./DangerCard";
import { ExportsCard } from "./ExportsCard";
import { GoalCard } from "./GoalCard";
import { ImagesCard } from "./ImagesCard";
import { MembersCard } from "./MembersCard";
import { MethodCard } from "./MethodCard";
import { SetupBar } from "./SetupBar";
import styles from "./SetupScreen.module.css";
import { useDraft } from "./useDraft";

type SetupScreenProps = {
  project: Project & { settings: Settings };
  user: User;
  /** What other features let be set here. */
  children?: ReactNode;
};

/** Everything about a project that can be set, before it is started and after. */
export function SetupScreen({ project, user, children }: SetupScreenProps) {
  const { id, state } = project;
  const isDraft = state === "draft";
  const draft = useDraft<Omit<Basics, "classes"> & { classes: ClassEdits | null }>(
    `karat:basics-edits:${id}`,
    { name: project.name, guidelines: project.guidelines, classes: null },
  );
  const savedClasses = toDrafts(project.classes);
  const basics: Basics = { ...draft.value, classes: withEdits(savedClasses, draft.value.classes) };
  const settings = useDraft<Settings>(`karat:settings-edits:${id}`, project.settings);
  const dirty = draft.dirty || settings.dirty;
  const problems = problemsOf(basics);
  const valid = problems.length === 0;
  const client = useQueryClient();
  const navigate = useNavigate();

  const save = useMutation({
    mutationFn: async (more: string[]) => {
      const { name, guidelines, classes } = draft.edits;
      const named = basics.classes.filter((one) => one.name.trim() !== "");
      const all = more.reduce((drafts, name) => withNew(drafts, name), named);
      const saved = await updateProject(id, {
        ...(valid && {
          ...(name !== undefined && { name: name.trim() }),
          ...(guidelines !== undefined && { guidelines }),
          ...(classes && {
            classes: toInputs(basics.classes),
            classes_version: project.classes_version,
          }),
        }),
        ...(more.length > 0 && { classes: toInputs(all) }),
        ...(settings.dirty && { settings: settings.edits }),
      });
      client.setQueryData(projectQuery(id).queryKey, saved);
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      if (valid) draft.discard();
      settings.discard();
    },
  });
  const start = useMutation({
    mutationFn: async () => {
      if (dirty) await save.mutateAsync([]);
      client.setQueryData(projectQuery(id).queryKey, await actOnProject(id, "start"));
      client.invalidateQueries({ queryKey: projectQuery(id).queryKey });
    },
    onSuccess: () => navigate(`/projects/${id}`),
  });

  const method = useRef<HTMLDivElement>(null);
  /** Only what the fields show: one that shows no valid value has not handed it on. */
  const ifValid = (act: () => void) => () => {
    if (!method.current || !focusInvalid(method.current)) act();
  };
  // Fields begin anew, as what was typed into one that shows no valid value is known to it alone.
  const [discarded, setDiscarded] = useState(0);

  useScrollToHash();
  const error = start.error ?? save.error;
  const barred = isDraft || dirty;
  return (
    <div className={styles.page}>
      <BasicsCard
        basics={basics}
        isDraft={isDraft}
        onChange={(value) => draft.set({ ...value, classes: editsOf(savedClasses, value.classes) })}
      />
      <GoalCard settings={settings.value} onChange={settings.set} />
      <ImagesCard
        project={project}
        // Evaluation images are matched to classes by name, so those have to be saved before.
        classesReady={valid && basics.classes.length > 0}
        inputSize={settings.value.input_size}
        onInputSize={(input_size) => settings.set({ ...settings.value, input_size })}
        classes={basics.classes.map(({ name }) => name.trim()).filter((name) => name !== "")}
        beforeUpload={async (more = []) => {
          if (dirty || more.length > 0) await save.mutateAsync(more);
        }}
      />
      <div ref={method}>
        <MethodCard
          key={discarded}
          project={project}
          settings={settings.value}
          onChange={settings.set}
        />
      </div>
      <MembersCard project={project} />
      {!isDraft && <ExportsCard project={project} />}
      {children}
      {user.role === "admin" && <DangerCard project={project} />}
      {error && !barred && <Notice tone="bad">{error.message}</Notice>}
      {barred && (
        <SetupBar
          project={project}
          classCount={basics.classes.length}
          dirty={dirty}
          problems={problems}
          // Where it was pressed: the page is long, and its end far away.
          refused={error?.message}
          saving={save.isPending}
          starting={start.isPending}
          onSave={ifValid(() => {
            start.reset();
            save.mutate([]);
          })}
          onDiscard={() => {
            draft.discard();
            settings.discard();
            save.reset();
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
  const [hash] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    if (hash) document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
}

import { hashKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError } from "../../api/errors";
import { type ProjectChange, projectQuery, projectsQuery, updateProject } from "../../api/projects";
import type { Project, Settings } from "../../api/types";
import { type Basics, problemsOf } from "./BasicsCard";
import {
  afterSaving,
  type ClassDraft,
  type ClassEdits,
  problemsOf as classProblems,
  editsOf,
  isStored,
  toDrafts,
  toInputs,
  withEdits,
  withNew,
} from "./classes";
import { useDraft } from "./useDraft";

type SetUp = Project & { settings: Settings };
type Edited = Omit<Basics, "classes"> & { classes: ClassEdits | null };

/** Long enough to end a word, short enough to be saved before anybody looks away. */
const PAUSE_MS = 600;

/** What is edited of a project, and how it comes to the server: of a draft, by itself. */
export function useSetup(project: SetUp) {
  const { id } = project;
  const draft = useDraft<Edited>(`karat:basics-edits:${id}`, editedOf(project));
  const settings = useDraft<Settings>(`karat:settings-edits:${id}`, project.settings);
  const savedClasses = toDrafts(project.classes);
  const basics: Basics = { ...draft.value, classes: withEdits(savedClasses, draft.value.classes) };
  const problems = problemsOf(basics);
  const client = useQueryClient();
  const { queryKey } = projectQuery(id);
  const isDraft = project.state === "draft";
  const fromKey = `karat:basics-from:${id}`;
  /** What the edits were made from, which is not what others have written since. */
  const from = useRef(sessionStorage.getItem(fromKey) ?? project.setup_version);
  /** Why nothing is saved by itself: others have written, and nobody has answered to it yet. */
  const refused = useRef<ApiError | null>(null);

  /** What is to be saved now; of fields that show something invalid, nothing. */
  const pending = (more: string[] = []) => {
    const now = client.getQueryData<SetUp>(queryKey) ?? project;
    // Once a project runs, edits are saved by hand, and an import saves its classes alone.
    if (!isDraft && more.length > 0) return changeOf(now, {}, {}, more);
    const seen = { ...now, setup_version: from.current };
    return changeOf(seen, draft.now(editedOf(now)), settings.now(now.settings), more);
  };
  const save = useMutation({
    // One after the other: each is made of what the last one has left.
    scope: { id: `set-up ${id}` },
    onMutate: () => {
      refused.current = null;
    },
    mutationFn: async (more: string[]) => {
      // Whoever asked for this while another was under way has not been told.
      if (refused.current) throw refused.current;
      const { body, sent } = pending(more);
      if (Object.keys(body).length === 0) return;
      const { settings: set = {}, setup_version, ...named } = body;
      draft.sending(Object.keys(named) as (keyof Edited)[]);
      settings.sending(Object.keys(set) as (keyof Settings)[]);
      const saved = await updateProject(id, body).finally(() => {
        draft.sending([]);
        settings.sending([]);
      });
      // An import's classes are made from what there is, whatever the edits were made from.
      if (setup_version === from.current) {
        from.current = saved.setup_version;
        sessionStorage.setItem(fromKey, from.current);
      }
      client.setQueryData(queryKey, saved);
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      const { classes, ...rest } = draft.now(editedOf(saved));
      const left = sent ? afterSaving(classes ?? null, sent, saved.classes) : (classes ?? null);
      draft.put(left ? { ...rest, classes: left } : rest);
      const other = Object.entries(settings.now(saved.settings ?? project.settings)).filter(
        ([name, value]) => hashKey([value]) !== hashKey([body.settings?.[name as keyof Settings]]),
      );
      settings.put(Object.fromEntries(other));
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.code !== "setup_changed") return;
      // Whoever saves again has been told; after a reload, nobody has.
      const now = await client
        .fetchQuery({ ...projectQuery(id), staleTime: 0 })
        .catch(() => ({ setup_version: from.current }));
      from.current = now.setup_version;
      refused.current = error;
    },
  });

  const { body } = pending();
  const isEdited = body.setup_version !== undefined || problems.length > 0;
  if (!isEdited) from.current = project.setup_version;
  useEffect(() => {
    if (isEdited) sessionStorage.setItem(fromKey, from.current);
    else sessionStorage.removeItem(fromKey);
  }, [fromKey, isEdited]);
  const change = Object.keys(body).length > 0 ? hashKey([body]) : null;
  useAutosave(isDraft ? change : null, () => {
    if (!refused.current) save.mutate([]);
  });
  /** An edit, which says that what was refused is to be saved. */
  const edit =
    <T>(set: (value: T) => void) =>
    (value: T) => {
      refused.current = null;
      set(value);
    };
  return {
    basics,
    settings: { ...settings, set: edit(settings.set) },
    problems,
    save,
    /** Whether there is something to save, or something that cannot be. */
    dirty: change !== null || problems.length > 0,
    setBasics: edit(({ classes, ...value }: Basics) =>
      draft.set({ ...value, classes: editsOf(savedClasses, classes, draft.isSending("classes")) }),
    ),
    discard: () => {
      refused.current = null;
      draft.discard();
      settings.discard();
      save.reset();
    },
  };
}

const editedOf = ({ name, guidelines }: Project): Edited => ({ name, guidelines, classes: null });

type Change = { body: ProjectChange; sent: { typed: ClassDraft[]; others: ClassDraft[] } | null };

/** What the server is to be told, with `more` classes at the end. */
function changeOf(
  project: SetUp,
  edits: Partial<Edited>,
  settings: Partial<Settings>,
  more: string[],
): Change {
  const { classes: saved, setup_version } = project;
  const { name = project.name, guidelines = project.guidelines } = edits;
  const before = toDrafts(saved);
  const rows = withEdits(before, edits.classes ?? null);
  const isValid = classProblems(rows).size === 0;
  // What cannot be saved stays as it was: of an import's classes none takes another away.
  const typed = isValid ? rows.filter((one) => one.name.trim() !== "") : before;
  const all = more.reduce((drafts, one) => withNew(drafts, one), typed);
  const hasClasses = more.length > 0 || (isValid && !isStored(before, rows));
  const written: ProjectChange = {
    ...(name.trim() && name.trim() !== project.name && { name: name.trim() }),
    ...(guidelines !== project.guidelines && { guidelines }),
    ...(hasClasses && { classes: toInputs(all) }),
  };
  const body: ProjectChange = {
    ...written,
    ...(Object.keys(written).length > 0 && { setup_version }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return { body, sent: hasClasses ? { typed, others: all.slice(typed.length) } : null };
}

/** Saves a change a moment after the last one, and at once when the page is left; none twice. */
function useAutosave(change: string | null, save: () => void): void {
  const tried = useRef<string | null>(null);
  const leave = useRef(() => {});
  const attempt = () => {
    if (change === null || change === tried.current) return;
    tried.current = change;
    save();
  };
  useEffect(() => {
    leave.current = attempt;
  });
  useEffect(() => {
    if (change === null) tried.current = null;
    const timer = setTimeout(() => leave.current(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [change]);
  useEffect(() => {
    const onHide = () => leave.current();
    window.addEventListener("pagehide", onHide);
    return () => {
      window.removeEventListener("pagehide", onHide);
      onHide();
    };
  }, []);
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTitles } from "../../api/algorithms";
import { importPagesQuery, listed } from "../../api/imports";
import { membersQuery } from "../../api/projects";
import { subsetsQuery } from "../../api/subsets";
import type { Filters, Project } from "../../api/types";
import { t } from "../../strings";
import { stateNames, verdictNames } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { CheckField, SelectField, TextField } from "../../ui/Field";
import { More } from "../../ui/More";
import { useManages } from "../../ui/managing";
import { parseNumber } from "../../ui/parseNumber";
import { FieldFilters } from "./FieldFilters";
import { CHOICES, isCompared } from "./filters";
import styles from "./PoolScreen.module.css";
import { useTyped } from "./useTyped";

type FilterPanelProps = {
  project: Project;
  filters: Filters;
  /** The round whose scores are shown; null when nothing is scored yet. */
  scoresRound: number | null;
  onChange: (values: Partial<Filters>) => void;
  onClear: (() => void) | null;
};

export function FilterPanel({
  project,
  filters,
  scoresRound,
  onChange,
  onClear,
}: FilterPanelProps) {
  // Only who manages the project is told of its people, and of what was imported.
  const enabled = useManages();
  const members = useQuery({ ...membersQuery(project.id), enabled }).data?.items ?? [];
  const pages = useInfiniteQuery({ ...importPagesQuery(project.id), enabled });
  const jobs = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const imports = jobs.filter((job) => !job.dry_run);
  const { hasClasses, isLearned } = traitsOf(project);
  const classes = project.classes.map(({ id, name }) => ({ id, name }));
  return (
    <div className={styles.panel}>
      <Search value={filters.name ?? ""} onChange={(name) => onChange({ name: name || null })} />
      <Words name="state" texts={stateNames(project)} filters={filters} onChange={onChange} />
      <SelectField
        label={t.pool.field.split}
        value={filters.split}
        onChange={(event) => onChange({ split: event.target.value as Filters["split"] })}
      >
        {CHOICES.split.map((one) => (
          <option key={one} value={one}>
            {t.pool.values.split[one]}
          </option>
        ))}
      </SelectField>
      {hasClasses && (
        <Things name="class_id" things={classes} filters={filters} onChange={onChange} />
      )}
      <FieldFilters projectId={project.id} filters={filters} onChange={onChange} />
      <Words name="verdict" texts={verdictNames(project)} filters={filters} onChange={onChange} />
      {(members.length > 0 || filters.annotator_id != null) && (
        <Things
          name="annotator_id"
          things={members.map(({ user }) => ({ id: user.id, name: user.name || user.email }))}
          filters={filters}
          onChange={onChange}
        />
      )}
      <Words name="source" texts={t.pool.values.source} filters={filters} onChange={onChange} />
      {(imports.length > 0 || filters.import_id != null) && (
        <>
          <Things
            name="import_id"
            things={imports.map((job) => ({
              id: job.id,
              name: t.pool.imported(job.id, listed(job).name),
            }))}
            filters={filters}
            onChange={onChange}
          />
          <More list={pages} size="small">
            {t.pool.earlierImports}
          </More>
        </>
      )}
      <Subsets projectId={project.id} filters={filters} onChange={onChange} />
      {isCompared(filters) && (
        <Bound name="similarity" end="min" showLabel filters={filters} onChange={onChange} />
      )}
      {filters.duplicate_of != null && (
        <CheckField
          label={t.alike.group(filters.duplicate_of)}
          checked
          onChange={() => onChange({ duplicate_of: null })}
        />
      )}
      <CheckField
        label={t.pool.field.disagreement}
        checked={filters.disagreement === true}
        onChange={(event) => onChange({ disagreement: event.target.checked || null })}
      />
      <CheckField
        label={t.note.with}
        checked={filters.note === true}
        onChange={(event) => onChange({ note: event.target.checked || null })}
      />
      {isLearned && scoresRound === null && <p className={styles.hint}>{t.pool.noScores}</p>}
      {scoresRound !== null && (
        <>
          <Things name="predicted" things={classes} filters={filters} onChange={onChange} />
          <Range name="purity" filters={filters} onChange={onChange} />
          <Range name="informativeness" filters={filters} onChange={onChange} />
          <p className={styles.hint}>{t.pool.scoresOf(scoresRound)}</p>
        </>
      )}
      {onClear && <Button onClick={onClear}>{t.pool.clearFilters}</Button>}
    </div>
  );
}

type Part = Pick<FilterPanelProps, "filters" | "onChange">;

type WordsProps = Part & {
  name: "state" | "verdict" | "source";
  /** What each choice is called; one without a name is none in this project. */
  texts: Record<string, string>;
};

function Words({ name, texts, filters, onChange }: WordsProps) {
  return (
    <SelectField
      label={t.pool.field[name]}
      value={filters[name] ?? ""}
      onChange={(event) => onChange({ [name]: event.target.value || null })}
    >
      <option value="">{t.pool.any}</option>
      {CHOICES[name]
        .filter((one) => one in texts)
        .map((one) => (
          <option key={one} value={one}>
            {texts[one]}
          </option>
        ))}
    </SelectField>
  );
}

type ThingsProps = Part & {
  name: "class_id" | "predicted" | "annotator_id" | "import_id" | "kept_by" | "dropped_by";
  things: { id: number; name: string }[];
};

function Things({ name, things, filters, onChange }: ThingsProps) {
  const chosen = filters[name];
  const isKnown = chosen == null || things.some(({ id }) => id === chosen);
  return (
    <SelectField
      label={t.pool.field[name]}
      value={chosen ?? ""}
      onChange={(event) => onChange({ [name]: Number(event.target.value) || null })}
    >
      <option value="">{t.pool.any}</option>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {things.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </SelectField>
  );
}

/** Which subset kept an image, and which dropped it, once there are any. */
function Subsets({ projectId, ...part }: Part & { projectId: number }) {
  const subsets = useQuery(subsetsQuery(projectId)).data?.items ?? [];
  const titleOf = useTitles("pruning");
  if (subsets.length === 0) return null;
  const things = subsets.map(({ id, method, kept }) => ({
    id,
    name: t.jobs.subsets.option(id, titleOf(method), kept),
  }));
  return (
    <>
      <Things name="kept_by" things={things} {...part} />
      <Things name="dropped_by" things={things} {...part} />
    </>
  );
}

function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const typed = useTyped(value, onChange);
  return (
    <TextField
      label={t.pool.field.name}
      type="search"
      autoComplete="off"
      maxLength={200}
      value={typed.value}
      onChange={(event) => typed.set(event.target.value)}
      onBlur={typed.leave}
    />
  );
}

function Range({ name, filters, onChange }: Part & { name: "purity" | "informativeness" }) {
  return (
    <fieldset>
      <legend>{t.pool.field[name]}</legend>
      <div className={styles.range}>
        <Bound name={name} end="min" filters={filters} onChange={onChange} />
        <Bound name={name} end="max" filters={filters} onChange={onChange} />
      </div>
    </fieldset>
  );
}

type BoundProps = Part & {
  showLabel?: boolean;
} & (
    | { name: "purity" | "informativeness"; end: "min" | "max" }
    | { name: "similarity"; end: "min" }
  );

function Bound({ name, end, showLabel = false, filters, onChange }: BoundProps) {
  const field = name === "similarity" ? "similarity_min" : (`${name}_${end}` as const);
  const text = end === "min" ? t.pool.atLeast : t.pool.atMost;
  const typed = useTyped(filters[field]?.toString() ?? "", (value) => {
    const number = parseNumber(value);
    if (value.trim() === "" || !Number.isFinite(number)) onChange({ [field]: null });
    else onChange({ [field]: number });
  });
  return (
    <TextField
      label={text(t.pool.field[name])}
      hideLabel={!showLabel}
      placeholder={t.pool[end]}
      inputMode="decimal"
      autoComplete="off"
      value={typed.value}
      onChange={(event) => typed.set(event.target.value)}
      onBlur={typed.leave}
    />
  );
}

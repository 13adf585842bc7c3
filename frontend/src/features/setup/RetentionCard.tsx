import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { projectQuery } from "../../api/projects";
import { retain, retentionQuery } from "../../api/retention";
import type { Project, Retention } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Fetching } from "../../ui/Fetching";
import { SelectField } from "../../ui/Field";
import { FoldedCard } from "../../ui/FoldedCard";
import { formatCount, formatDate } from "../../ui/format";
import styles from "./SetupScreen.module.css";

const { retention: text } = t;
const LIFETIMES = [30, 90, 180, 365, 730];

type RetentionCardProps = { project: Project; isAdmin: boolean };

/** How long a project is kept after it is finished; admins decide it, managers are told. */
export function RetentionCard({ project, isAdmin }: RetentionCardProps) {
  const found = useQuery(retentionQuery(project.id));
  // Nobody is told of what was never said.
  if (!isAdmin && found.data && found.data.days === null) return null;
  return (
    <FoldedCard title={text.title} hint={text.hint} id="retention" brief={briefOf(found.data)}>
      <Fetching of={found} height="5rem" />
      {found.data && (
        <>
          <p>{saidOf(found.data)}</p>
          {isAdmin && <Choice key={found.data.days} project={project} kept={found.data} />}
        </>
      )}
    </FoldedCard>
  );
}

function Choice({ project, kept }: { project: Project; kept: Retention }) {
  const [days, setDays] = useState(String(kept.days ?? ""));
  const [asked, setAsked] = useState(false);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => retain(project.id, days === "" ? null : Number(days)),
    onSuccess: (said) => {
      client.setQueryData(retentionQuery(project.id).queryKey, said);
      client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
      setAsked(false);
    },
  });
  const own = kept.days !== null && !LIFETIMES.includes(kept.days) ? [kept.days] : [];
  return (
    <form
      className={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
      }}
    >
      <SelectField label={text.keep} value={days} onChange={(event) => setDays(event.target.value)}>
        <option value="">{text.forever}</option>
        {[...LIFETIMES, ...own].map((count) => (
          <option key={count} value={count}>
            {text.days(count)}
          </option>
        ))}
      </SelectField>
      <Button type="submit" disabled={days === String(kept.days ?? "")}>
        {text.save}
      </Button>
      {asked && (
        <ConfirmDialog
          title={days === "" ? text.keepTitle(project.name) : text.confirm(Number(days))}
          text={
            days === ""
              ? text.keepText
              : text.confirmText(formatCount(kept.images), formatCount(kept.answers))
          }
          action={text.save}
          danger={days !== ""}
          does={change}
          onConfirm={() => change.mutate()}
          onClose={() => setAsked(false)}
        />
      )}
    </form>
  );
}

const briefOf = (kept: Retention | undefined): string | undefined =>
  kept && (kept.days === null ? text.forever : text.days(kept.days));

function saidOf({ days, due_at: due }: Retention): string {
  if (days === null) return text.isKept;
  return due === null ? text.once(days) : text.due(formatDate(due));
}

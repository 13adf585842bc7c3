import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isActive } from "../../api/rounds";
import { deleteSync, runSync, syncObjectsQuery, syncsQuery, updateSync } from "../../api/syncs";
import type { Sync } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatDateTime } from "../../ui/format";
import { Items } from "../../ui/Items";
import { Said } from "../../ui/Said";
import { SavedSelect } from "../../ui/SavedSelect";
import { Notice } from "../../ui/State";
import styles from "./SyncList.module.css";

const text = t.setup.bucket.sync;

/** Minutes between looks that can be chosen; 0 is never by itself. */
export const OFTEN = [60, 1440, 10080] as const;

/** Places of buckets that the pool follows; nothing where there are none. */
export function SyncList({ projectId }: { projectId: number }) {
  const syncs = useQuery(syncsQuery(projectId));
  const items = syncs.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className={styles.syncs} aria-label={text.title}>
      <h3>{text.title}</h3>
      <Items>
        {items.map((sync) => (
          <SyncItem key={sync.id} sync={sync} />
        ))}
      </Items>
    </section>
  );
}

function SyncItem({ sync }: { sync: Sync }) {
  const client = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const { project_id: projectId, id, location } = sync;
  const onSettled = () => client.invalidateQueries({ queryKey: syncsQuery(projectId).queryKey });
  const run = useMutation({ mutationFn: () => runSync(projectId, id), onSettled });
  const remove = useMutation({ mutationFn: () => deleteSync(projectId, id), onSettled });
  const minutes = sync.every_minutes ?? 0;
  const choices = [...new Set([0, ...OFTEN, minutes])].sort((a, b) => a - b);
  const facts = [
    sync.looked_at && text.there(sync.objects),
    sync.new > 0 && text.fresher(sync.new),
    sync.looked_at && text.looked(formatDateTime(sync.looked_at)),
  ].filter(Boolean);
  return (
    <li>
      <div className={styles.head}>
        <strong>{location}</strong>
        <State sync={sync} />
      </div>
      {facts.length > 0 && <p className={styles.quiet}>{facts.join(" · ")}</p>}
      {sync.fault && (
        <Notice tone="bad">{text.faults[sync.fault] ?? <Said>{sync.detail}</Said>}</Notice>
      )}
      {hasEnded(sync) && sync.new > 0 && <Notice tone="gold">{text.endedText}</Notice>}
      <ErrorNotice error={run.error} />
      <Found sync={sync} finding="changed" />
      <Found sync={sync} finding="gone" />
      <div className={styles.actions}>
        <SavedSelect
          label={text.schedule}
          aria-label={text.scheduleOf(location)}
          value={String(minutes)}
          save={(to) => updateSync(projectId, id, Number(to) || null)}
          onSettled={onSettled}
        >
          {choices.map((one) => (
            <option key={one} value={one}>
              {text.choices[one as keyof typeof text.choices] ?? text.minutes(one)}
            </option>
          ))}
        </SavedSelect>
        <Button
          size="small"
          aria-label={text.runThis(location)}
          busy={run.isPending || sync.looking}
          onClick={() => run.mutate()}
        >
          {text.run}
        </Button>
        <Button
          size="small"
          kind="quiet"
          aria-label={text.removeThis(location)}
          onClick={() => setRemoving(true)}
        >
          {text.remove}
        </Button>
      </div>
      {removing && (
        <ConfirmDialog
          title={text.removeTitle}
          text={text.removeText}
          action={text.remove}
          does={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}

const hasEnded = ({ latest_import: last }: Sync): boolean =>
  last?.state === "failed" || last?.state === "cancelled";

function State({ sync }: { sync: Sync }) {
  if (sync.looking) return <Chip>{text.looking}</Chip>;
  if (sync.fault) {
    return (
      <Chip tone="bad" dot>
        {text.failed}
      </Chip>
    );
  }
  if (!sync.looked_at) return <Chip>{text.waits}</Chip>;
  if (isActive(sync.latest_import)) return <Chip tone="gold">{text.importing}</Chip>;
  if (hasEnded(sync) && sync.new > 0) return <Chip tone="bad">{text.ended}</Chip>;
  if (sync.changed + sync.gone > 0) return <Chip tone="gold">{text.differs}</Chip>;
  return (
    <Chip tone="good" dot>
      {text.fresh}
    </Chip>
  );
}

/** What changed or vanished: how many, what that means, and which, once somebody opens it. */
function Found({ sync, finding }: { sync: Sync; finding: "changed" | "gone" }) {
  const [open, setOpen] = useState(false);
  const count = sync[finding];
  const objects = useQuery({
    ...syncObjectsQuery(sync.project_id, sync.id, finding),
    enabled: open && count > 0,
  });
  if (count === 0) return null;
  const names = objects.data?.items.map(({ name }) => name) ?? [];
  return (
    <details className={styles.found} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text[finding].title(count)}</summary>
      <p>{text[finding].text}</p>
      <ul>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
        {names.length > 0 && count > names.length && <li>{text.more(count - names.length)}</li>}
      </ul>
    </details>
  );
}

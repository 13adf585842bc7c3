import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { removeSnapshot, type Snapshot, snapshotsQuery } from "../../../api/snapshots";
import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { noneOf } from "../../../tasks/stateNames";
import { Button } from "../../../ui/Button";
import { ConfirmDialog } from "../../../ui/ConfirmDialog";
import { CopyButton } from "../../../ui/CopyButton";
import { Fetching } from "../../../ui/Fetching";
import { FoldedCard } from "../../../ui/FoldedCard";
import { formatDateTime } from "../../../ui/format";
import { Items } from "../../../ui/Items";
import { CompareDialog } from "./CompareDialog";
import styles from "./Snapshots.module.css";
import { TakeDialog } from "./TakeDialog";

const { snapshots: text } = t;

type Asked = { what: "take" } | { what: "compare" | "remove"; snapshot: Snapshot };

/** The data set as it was, under names. */
export function SnapshotsCard({ project }: { project: Pick<Project, "id" | "task"> }) {
  const projectId = project.id;
  const none = noneOf(project).full;
  const list = useQuery(snapshotsQuery(projectId));
  const [asked, setAsked] = useState<Asked | null>(null);
  const items = list.data?.items ?? [];
  const close = () => setAsked(null);
  return (
    <FoldedCard
      title={text.title}
      hint={text.hint}
      id="snapshots"
      brief={list.data && (items.length > 0 ? text.brief(items.length) : text.none)}
    >
      <div>
        <Button onClick={() => setAsked({ what: "take" })}>{text.take}</Button>
      </div>
      <Fetching of={list} height="4rem" />
      {items.length > 0 && (
        <Items label={text.title}>
          {items.map((one) => (
            <Item
              key={one.id}
              snapshot={one}
              none={none}
              onCompare={
                items.length > 1 ? () => setAsked({ what: "compare", snapshot: one }) : null
              }
              onRemove={() => setAsked({ what: "remove", snapshot: one })}
            />
          ))}
        </Items>
      )}
      {asked?.what === "take" && <TakeDialog projectId={projectId} onClose={close} />}
      {asked?.what === "compare" && (
        <CompareDialog
          projectId={projectId}
          none={none}
          snapshots={items}
          chosen={asked.snapshot}
          onClose={close}
        />
      )}
      {asked?.what === "remove" && (
        <RemoveDialog projectId={projectId} snapshot={asked.snapshot} onClose={close} />
      )}
    </FoldedCard>
  );
}

type ItemProps = {
  snapshot: Snapshot;
  /** What it is called that an image is none of what is looked for. */
  none: string;
  onCompare: (() => void) | null;
  onRemove: () => void;
};

function Item({ snapshot, none, onCompare, onRemove }: ItemProps) {
  const { name, digest } = snapshot;
  return (
    <li>
      <div className={styles.head}>
        <strong className={styles.name}>{name}</strong>
        <span className={styles.quiet}>
          {text.takenAt(formatDateTime(snapshot.taken_at), snapshot.author)}
        </span>
      </div>
      <p className={styles.quiet}>{partsOf(snapshot, none)}</p>
      {snapshot.filters && <p className={styles.quiet}>{text.filtered}</p>}
      <div className={styles.digest} title={text.digestHint}>
        <span className={styles.quiet}>{text.digest}</span>
        <code className={styles.mono}>{digest}</code>
        <CopyButton text={digest} name={text.copyDigest(name)} />
      </div>
      <div className={styles.actions}>
        {onCompare && (
          <Button size="small" aria-label={text.compareThis(name)} onClick={onCompare}>
            {text.compare}
          </Button>
        )}
        <Button size="small" kind="quiet" aria-label={text.removeThis(name)} onClick={onRemove}>
          {t.common.remove}
        </Button>
      </div>
    </li>
  );
}

const PARTS = [
  "examples",
  "labeled",
  "no_objects",
  "ood",
  "unsure",
  "unlabeled",
  "evaluation",
  "by_model",
  "withdrawn",
] as const;

/** How many images of each kind; what there is none of is not said. */
function partsOf({ counts }: Snapshot, none: string): string {
  return PARTS.flatMap((part) => {
    const count = counts[part];
    return count ? [text.parts[part](count, none)] : [];
  }).join(" · ");
}

type RemoveDialogProps = { projectId: number; snapshot: Snapshot; onClose: () => void };

function RemoveDialog({ projectId, snapshot, onClose }: RemoveDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeSnapshot(projectId, snapshot.name),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: snapshotsQuery(projectId).queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={text.removeTitle(snapshot.name)}
      text={text.removeText}
      action={t.common.remove}
      danger
      does={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}

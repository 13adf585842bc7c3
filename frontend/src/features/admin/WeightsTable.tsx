import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import type { Weights } from "../../api/types";
import { removeWeights, weightsQuery } from "../../api/weights";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { formatBytes, formatDateTime } from "../../ui/format";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";

const { weights: text } = t;
const TONES = { checking: "plain", ready: "good", refused: "bad", lost: "bad" } as const;

export function WeightsTable({ weights }: { weights: Weights[] }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Weights | null>(null);
  const remove = useMutation({
    mutationFn: (one: Weights) => removeWeights(one.id),
    onSuccess: () => setAsked(null),
    onSettled: () => client.invalidateQueries({ queryKey: weightsQuery.queryKey }),
  });
  return (
    <>
      <Table label={text.table}>
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            <th scope="col">{text.architecture}</th>
            <th scope="col">{text.state}</th>
            <th scope="col" data-number>
              {text.size}
            </th>
            <th scope="col">{text.usedBy}</th>
            <th scope="col">{text.added}</th>
            <th scope="col">
              <span className="visually-hidden">{text.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {weights.map((one) => (
            <Row key={one.id} weights={one} onRemove={() => setAsked(one)} />
          ))}
        </tbody>
      </Table>
      {asked && (
        <ConfirmDialog
          title={text.removeTitle(asked.name)}
          text={text.removeText}
          action={text.remove}
          danger
          does={remove}
          onConfirm={() => remove.mutate(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function Row({ weights, onRemove }: { weights: Weights; onRemove: () => void }) {
  const { name, filename, sha256, state, problem, left_aside: aside, used_by: used } = weights;
  return (
    <tr>
      <th scope="row">
        {name}
        <div className={`${styles.mono} ${styles.quiet}`} title={text.fileIs(filename, sha256)}>
          <span className="visually-hidden">{text.digest} </span>
          {sha256.slice(0, 16)}…
        </div>
      </th>
      <td>
        {weights.architecture}
        <div className={styles.small}>{weights.library}</div>
      </td>
      <td>
        <div className={styles.finding}>
          <Chip tone={TONES[state]}>{text.states[state]}</Chip>
          {problem && <p className={styles.small}>{problem}</p>}
          {state === "lost" && <p className={styles.small}>{text.lost}</p>}
          {state !== "lost" && aside.length > 0 && (
            <p className={styles.small} title={aside.join(", ")}>
              {text.aside(aside.length)}
            </p>
          )}
        </div>
      </td>
      <td data-number className={styles.nowrap}>
        {formatBytes(weights.bytes)}
      </td>
      <td>
        {used.length === 0 && <span className={styles.quiet}>{text.nobody}</span>}
        {used.map((project) => (
          <div key={project.id}>
            <Link to={`/projects/${project.id}/settings`}>{project.name}</Link>
          </div>
        ))}
      </td>
      <td className={styles.nowrap}>
        {formatDateTime(weights.created_at)}
        {weights.created_by && <div className={styles.small}>{weights.created_by.name}</div>}
      </td>
      <td data-number>
        <Button size="small" kind="quiet" aria-label={text.removeOf(name)} onClick={onRemove}>
          {text.remove}
        </Button>
      </td>
    </tr>
  );
}

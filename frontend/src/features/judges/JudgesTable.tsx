import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Judge, judgesQuery, removeJudge, tryJudge } from "../../api/judges";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatDateTime, formatSeconds } from "../../ui/format";
import { Said } from "../../ui/Said";
import { Table } from "../../ui/Table";
import styles from "./Judges.module.css";

const { judges: text } = t;

type JudgesTableProps = { judges: Judge[]; onEdit: (judge: Judge) => void };

export function JudgesTable({ judges, onEdit }: JudgesTableProps) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Judge | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: judgesQuery.queryKey });
  const remove = useMutation({
    mutationFn: (judge: Judge) => removeJudge(judge.id),
    onSuccess: () => setAsked(null),
    onSettled,
  });
  const attempt = useMutation({ mutationFn: (judge: Judge) => tryJudge(judge.id), onSettled });
  return (
    <>
      <ErrorNotice error={attempt.error} />
      <Table label={text.table}>
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            <th scope="col">{text.model}</th>
            <th scope="col">{text.limits}</th>
            <th scope="col">{text.trial}</th>
            <th scope="col">
              <span className="visually-hidden">{text.edit}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {judges.map((judge) => (
            <Row
              key={judge.id}
              judge={judge}
              onTry={() => attempt.mutate(judge)}
              onEdit={() => onEdit(judge)}
              onRemove={() => setAsked(judge)}
            />
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

type RowProps = { judge: Judge; onTry: () => void; onEdit: () => void; onRemove: () => void };

function Row({ judge, onTry, onEdit, onRemove }: RowProps) {
  const { name, base_url, model, embedding_model, has_key, price_in, price_out } = judge;
  const { concurrency, requests_per_minute: perMinute, trial } = judge;
  const isPriced = price_in !== null || price_out !== null;
  return (
    <tr>
      <th scope="row">
        {name}
        <div className={`${styles.small} ${styles.url}`}>{base_url}</div>
        <div className={styles.small}>{has_key ? text.hasKey : text.noKey}</div>
      </th>
      <td>
        {model}
        {embedding_model && <div className={styles.small}>{embedding_model}</div>}
      </td>
      <td className={styles.limits}>
        <div>{text.atOnce(concurrency)}</div>
        {perMinute !== null && <div className={styles.small}>{text.eachMinute(perMinute)}</div>}
        <div className={styles.small}>
          {isPriced ? text.prices(String(price_in ?? 0), String(price_out ?? 0)) : text.noPrice}
        </div>
      </td>
      <td>
        <Trial trial={trial} />
      </td>
      <td data-number>
        <span className={styles.acts}>
          <Button
            size="small"
            aria-label={text.tryOf(name)}
            disabled={trial !== null && trial.tried_at === null}
            onClick={onTry}
          >
            {text.try}
          </Button>
          <Button size="small" kind="quiet" aria-label={text.editOf(name)} onClick={onEdit}>
            {text.edit}
          </Button>
          <Button size="small" kind="quiet" aria-label={text.removeOf(name)} onClick={onRemove}>
            {text.remove}
          </Button>
        </span>
      </td>
    </tr>
  );
}

/** How it did when it was tried last. */
function Trial({ trial }: Pick<Judge, "trial">) {
  if (!trial) return <span className={styles.quiet}>{text.never}</span>;
  const { ok, problem, seconds, tried_at: tried, text: answer } = trial;
  if (!tried) return <span role="status">{text.trying}</span>;
  return (
    <div className={styles.trial} role="status">
      <Chip tone={ok ? "good" : "bad"}>
        {ok ? text.works(formatSeconds(seconds ?? 0)) : text.fails}
      </Chip>
      {problem && (
        <p className={styles.small}>
          <Said>{problem}</Said>
        </p>
      )}
      {!ok && answer && <p className={styles.small}>{text.said(answer.slice(0, 200))}</p>}
      <p className={styles.small}>{formatDateTime(tried)}</p>
    </div>
  );
}

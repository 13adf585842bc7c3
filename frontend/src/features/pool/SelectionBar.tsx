import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { actOnExamples, MOST_AT_ONCE, type PoolAction, promoteExamples } from "../../api/pool";
import type { Example, ExampleState, Filters, Project, Selection } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatCount } from "../../ui/format";
import { Withdraw, Withdrawn } from "../../ui/Withdraw";
import { LabelDialog } from "./LabelDialog";
import { type Done, Outcome } from "./Outcome";
import styles from "./PoolScreen.module.css";
import { PromoteDialog } from "./PromoteDialog";
import { useChanged } from "./useChanged";
import { type LastCalls, TAKE_BACK, useJudge } from "./useJudge";
import type { Picked } from "./useSelection";

type SelectionBarProps = {
  project: Project;
  filters: Filters;
  count: { count: number; exact: boolean } | null;
  examples: Example[];
  selection: Picked;
  calls: LastCalls;
  /** What was withdrawn last, whose way is shown. */
  withdrawn: number | null;
  onWithdrawn: (id: number | null) => void;
  onSimilar: (ids: number[]) => void;
};

type Asked = "queue" | "hold-out" | "release";
/** What those images become that nobody had looked at, so that the page need not load anew. */
const AFTER: Partial<Record<PoolAction, { from: ExampleState; to: ExampleState }>> = {
  queue: { from: "unlabeled", to: "queried" },
  unqueue: { from: "queried", to: "unlabeled" },
  "hold-out": { from: "unlabeled", to: "held_out" },
  release: { from: "held_out", to: "unlabeled" },
};
const INVERSE: Partial<Record<PoolAction, PoolAction>> = {
  queue: "unqueue",
  "hold-out": "release",
  release: "hold-out",
};

/** What can be done with the selected images, what was done, and how to take it back. */
export function SelectionBar(props: SelectionBarProps) {
  const { project, filters, count, examples, selection, calls } = props;
  const [asked, setAsked] = useState<Asked | "promote" | "verdict" | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const chosen: Selection = selection.all ? { filters } : { ids: [...selection.ids] };

  const show = (result: Done) => {
    setDone(result);
    setAsked(null);
    selection.clear();
  };
  const tell = useChanged(project.id);
  const note = (result: Done) => {
    const change = AFTER[result.action as PoolAction];
    tell(
      result.changed.example_ids,
      change && ((one) => (one.state === change.from ? { ...one, state: change.to } : one)),
    );
    show(result);
  };
  const act = useMutation({
    mutationFn: async ({ action, body }: { action: PoolAction; body: Selection }) => ({
      action,
      changed: await actOnExamples(project.id, action, body),
    }),
    onSuccess: note,
  });
  const promote = useMutation({
    mutationFn: async (name: string) => ({
      action: "promote" as const,
      name,
      changed: await promoteExamples(project.id, name, chosen),
    }),
    onSuccess: note,
  });
  const judge = useJudge(project, calls, {
    onSaid: (changed, { choice, name = "" }) =>
      show(
        choice === TAKE_BACK
          ? { action: "take-back", changed }
          : { action: "verdict", changed, call: changed.call, name },
      ),
  });
  const ask = (what: Asked | "promote" | "verdict") => {
    judge.reset();
    act.reset();
    promote.reset();
    setAsked(what);
  };

  const number = selection.all ? (count?.count ?? 0) : selection.ids.size;
  const states = new Set(
    selection.all
      ? [filters.state]
      : examples.filter((one) => selection.ids.has(one.id)).map((one) => one.state),
  );
  const { inGroups, hasClasses } = traitsOf(project);
  const may = (state: ExampleState) => states.has(state) || states.has(undefined as never);
  if (number > 0) {
    return (
      <div className={styles.selection} role="toolbar" aria-label={t.pool.selected(number)}>
        <strong>
          {selection.all ? t.pool.allSelected(formatCount(number)) : t.pool.selected(number)}
        </strong>
        {number > MOST_AT_ONCE && <p>{t.pool.atOnce(formatCount(MOST_AT_ONCE))}</p>}
        <div className={styles.buttons}>
          {!inGroups && (
            <Button manages kind="primary" size="small" onClick={() => ask("queue")}>
              {t.pool.actions.queue}
            </Button>
          )}
          <Button size="small" onClick={() => ask("verdict")}>
            {t.pool.byHand.many.action}
          </Button>
          {may("unlabeled") && (
            <Button manages size="small" onClick={() => ask("hold-out")}>
              {t.pool.actions["hold-out"]}
            </Button>
          )}
          {may("held_out") && (
            <Button manages size="small" onClick={() => ask("release")}>
              {t.pool.actions.release}
            </Button>
          )}
          {hasClasses && may("ood") && (
            <Button manages size="small" onClick={() => ask("promote")}>
              {t.pool.actions.promote}
            </Button>
          )}
          <Withdraw
            projectId={project.id}
            selection={chosen}
            onDone={(made) => {
              setDone(null);
              selection.clear();
              props.onWithdrawn(made.id);
            }}
          />
          {!selection.all && (
            <Button size="small" onClick={() => props.onSimilar([...selection.ids])}>
              {t.alike.findSelected}
            </Button>
          )}
          {!selection.all && count && count.count > selection.ids.size && (
            <Button size="small" kind="quiet" onClick={selection.pickAll}>
              {t.pool.selectAll(formatCount(count.count))}
            </Button>
          )}
          <Button size="small" kind="quiet" onClick={selection.clear}>
            {t.pool.clear}
          </Button>
        </div>
        {asked === "promote" && (
          <PromoteDialog
            number={number}
            busy={promote.isPending}
            error={promote.error}
            onConfirm={(name) => promote.mutate(name)}
            onClose={() => setAsked(null)}
          />
        )}
        {asked === "verdict" && (
          <LabelDialog
            project={project}
            count={t.pool.count(number, count?.exact !== false || !selection.all)}
            busy={judge.isPending}
            error={judge.error}
            onSay={(choice, name) => judge.mutate({ of: chosen, choice, name })}
            onClose={() => setAsked(null)}
          />
        )}
        {asked !== null && asked !== "promote" && asked !== "verdict" && (
          <ConfirmDialog
            title={t.pool.confirm[asked].title(number)}
            text={t.pool.confirm[asked].text}
            action={t.pool.actions[asked]}
            does={act}
            onConfirm={() => act.mutate({ action: asked, body: chosen })}
            onClose={() => setAsked(null)}
          />
        )}
      </div>
    );
  }
  if (!done && props.withdrawn !== null) {
    return (
      <div className={styles.selection}>
        <Withdrawn projectId={project.id} id={props.withdrawn} />
        <div className={styles.buttons}>
          <Button size="small" kind="quiet" onClick={() => props.onWithdrawn(null)}>
            {t.pool.dismiss}
          </Button>
        </div>
      </div>
    );
  }
  if (!done) return null;
  const inverse = INVERSE[done.action as PoolAction];
  const { call } = done;
  const ids = done.changed.example_ids;
  const undo = () => {
    if (call) judge.mutate({ of: { ids }, choice: TAKE_BACK, undoes: () => call });
    else if (inverse) act.mutate({ action: inverse, body: { ids } });
  };
  return (
    <div className={styles.selection}>
      <Outcome done={done} />
      <ErrorNotice error={act.error ?? judge.error} />
      <div className={styles.buttons}>
        {(inverse ?? call) && ids.length > 0 && (
          <Button size="small" busy={act.isPending || judge.isPending} onClick={undo}>
            {t.pool.undo}
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={() => setDone(null)}>
          {t.pool.dismiss}
        </Button>
      </div>
    </div>
  );
}

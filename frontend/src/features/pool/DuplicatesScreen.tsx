import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { algorithmsQuery, jobOf } from "../../api/algorithms";
import { duplicatesQuery, holdCopies, type Which } from "../../api/alike";
import { actOnExamples, judgeExamples, MOST_AT_ONCE, poolQueries, undoing } from "../../api/pool";
import { projectQuery } from "../../api/projects";
import { serving } from "../../api/serving";
import type {
  Changed,
  DuplicateGroup,
  Duplicates,
  Judged,
  Judgement,
  Project,
} from "../../api/types";
import { t } from "../../strings";
import { judged } from "../../tasks/byHand";
import { Button, ButtonLink } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Fetching } from "../../ui/Fetching";
import { JobControls, useJobsOfKind } from "../../ui/jobs/JobControls";
import { More } from "../../ui/More";
import { Segments } from "../../ui/Segments";
import { Empty, Notice } from "../../ui/State";
import { DuplicateRow } from "./DuplicateRow";
import styles from "./Duplicates.module.css";

const KINDS: Which[] = ["all", "leaking", "contradicting"];
const text = t.alike;

type Hold = { groups: number[] | null; which: Which };
type Done = { action: "hold-out"; changed: Changed } | { action: "verdict"; changed: Judged };

/** Images that show the same picture, a group a row, and what can be done with each. */
export function DuplicatesScreen({ project }: { project: Project }) {
  const [query, setQuery] = useSearchParams();
  const which = KINDS.find((one) => one === query.get("which")) ?? "all";
  const client = useQueryClient();
  const found = useInfiniteQuery(duplicatesQuery(project.id, which));
  const [first] = found.data?.pages ?? [];
  const groups = found.data?.pages.flatMap((page) => page.items) ?? [];
  const [asked, setAsked] = useState(false);
  const [done, setDone] = useState<Done | null>(null);

  const note = (result: Done | null) => {
    void client.invalidateQueries({ queryKey: poolQueries.all(project.id) });
    void client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
    setDone(result);
    setAsked(false);
  };
  const hold = useMutation({
    mutationFn: ({ groups, which }: Hold) => holdCopies(project.id, groups, which),
    onSuccess: (changed) => note({ action: "hold-out", changed }),
  });
  const judge = useMutation({
    mutationFn: (body: Judgement) => judgeExamples(project.id, body),
    onSuccess: (changed) => note({ action: "verdict", changed }),
  });
  const undo = useMutation({
    mutationFn: ({ action, changed }: Done): Promise<Changed> =>
      action === "hold-out"
        ? actOnExamples(project.id, "release", { ids: changed.example_ids })
        : judgeExamples(project.id, undoing(changed)),
    onSuccess: () => note(null),
  });
  const show = (one: Which) =>
    setQuery(one === "all" ? { view: "duplicates" } : { view: "duplicates", which: one }, {
      replace: true,
    });
  const error = hold.error ?? judge.error ?? undo.error;
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <h2>{text.duplicates}</h2>
        <ButtonLink to="?">{text.allImages}</ButtonLink>
      </div>
      <Fetching of={found} height="20rem" />
      {first && (
        <>
          <Compare project={project} known={first} />
          {first.leaking > 0 && (
            <Notice
              tone="bad"
              actions={
                <Button
                  manages
                  size="small"
                  busy={hold.isPending}
                  onClick={() => hold.mutate({ groups: null, which: "leaking" })}
                >
                  {text.mend}
                </Button>
              }
            >
              <strong>{text.leaking(first.leaking)}</strong>
              <p>{text.leakingText}</p>
            </Notice>
          )}
          {first.compared && first.groups === 0 && (
            <Empty title={text.none}>{text.noneText(first.compared.images)}</Empty>
          )}
          {first.groups > 0 && (
            <div className={styles.bar}>
              <Segments
                label={text.which}
                options={KINDS.map((one) => ({
                  value: one,
                  name: text.kinds[one](one === "all" ? first.groups : first[one]),
                }))}
                value={which}
                onChange={show}
              />
              <Button manages onClick={() => setAsked(true)}>
                {text.mendAll}
              </Button>
            </div>
          )}
          <ErrorNotice error={error} />
          {first.groups > 0 && groups.length === 0 && <p>{text.noneOfKind}</p>}
          <ul className={styles.groups}>
            {groups.map((group) => (
              <DuplicateRow
                key={group.id}
                group={group}
                project={project}
                busy={hold.isPending || judge.isPending}
                onKeepOne={() => hold.mutate({ groups: [group.id], which: "all" })}
                onSay={(choice) => judge.mutate({ filters: ofGroup(group), ...judged(choice) })}
              />
            ))}
          </ul>
          <More list={found}>{text.nextGroups}</More>
        </>
      )}
      {asked && first && (
        <ConfirmDialog
          title={text.mendTitle(which === "all" ? first.groups : first[which])}
          text={text.mendAllText}
          action={text.mendAll}
          does={hold}
          onConfirm={() => hold.mutate({ groups: null, which })}
          onClose={() => setAsked(false)}
        />
      )}
      {done && (
        <Outcome
          done={done}
          busy={undo.isPending}
          onUndo={() => undo.mutate(done)}
          onDismiss={() => setDone(null)}
        />
      )}
    </div>
  );
}

const ofGroup = (group: DuplicateGroup): NonNullable<Judgement["filters"]> => ({
  split: "pool",
  duplicate_of: group.id,
});

/** When all images were compared last, and the job that does it. */
function Compare({ project, known }: { project: Project; known: Duplicates }) {
  const catalog = useQuery(algorithmsQuery).data;
  const jobs = useJobsOfKind(project.id, "compare");
  const client = useQueryClient();
  const state = jobs.data?.items[0]?.state;
  const before = useRef(state);
  useEffect(() => {
    // What it has found is read as it ends.
    if (before.current && before.current !== state)
      void client.invalidateQueries({ queryKey: poolQueries.all(project.id) });
    before.current = state;
  }, [client, project.id, state]);
  const algorithm = jobOf(catalog && serving(catalog.items, project), "compare");
  const { compared, images } = known;
  const later = compared ? images - compared.images : 0;
  return (
    <section className={styles.compare} aria-label={text.compare}>
      <div>
        <strong>{compared ? text.found(known.groups, known.copies) : text.never}</strong>
        <p>{compared ? later > 0 && text.stale(later) : text.neverText}</p>
      </div>
      {algorithm && jobs.data && (
        <JobControls project={project} algorithm={algorithm} jobs={jobs.data.items} />
      )}
    </section>
  );
}

type OutcomeProps = { done: Done; busy: boolean; onUndo: () => void; onDismiss: () => void };

function Outcome({ done: { action, changed }, busy, onUndo, onDismiss }: OutcomeProps) {
  const number = changed.example_ids.length;
  return (
    <div className={styles.outcome}>
      <div role="status">
        <strong>
          {action === "verdict" ? text.judged(number) : t.pool.done["hold-out"](number)}
        </strong>
        {Object.entries(changed.left_out).map(([why, left]) => (
          <p key={why}>{t.pool.leftOut(left, t.pool.reasons[why] ?? why)}</p>
        ))}
      </div>
      <div className={styles.buttons}>
        {number > 0 && number <= MOST_AT_ONCE && (
          <Button size="small" busy={busy} onClick={onUndo}>
            {t.pool.undo}
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={onDismiss}>
          {t.pool.dismiss}
        </Button>
      </div>
    </div>
  );
}

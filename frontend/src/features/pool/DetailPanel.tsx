import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { Link } from "react-router";
import { isNotFound } from "../../api/errors";
import { exampleQuery } from "../../api/pool";
import type { Example, ExampleDetail, Project } from "../../api/types";
import type { Withdrawal } from "../../api/withdrawals";
import { movesText } from "../../media/text/scrolling";
import type { Sought } from "../../media/text/words";
import { t } from "../../strings";
import { stateNames } from "../../tasks/stateNames";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { CopyButton } from "../../ui/CopyButton";
import { isElsewhere, keyOf } from "../../ui/hotkeys";
import { IconButton } from "../../ui/IconButton";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import { useKeyDown } from "../../ui/useKeyDown";
import { Withdraw } from "../../ui/Withdraw";
import styles from "./DetailPanel.module.css";
import { Facts } from "./Facts";
import { Faults } from "./Faults";
import { History, Places } from "./History";
import { Metadata } from "./Metadata";
import { NeighbourList } from "./NeighbourList";
import { canLook, Pictured } from "./Pictured";
import { focusGrid } from "./PoolGrid";
import type { LastCalls } from "./useJudge";
import { useVerdicts, type Verdicts } from "./useVerdicts";
import { canBeJudged, VerdictKeys } from "./VerdictKeys";

const BoxDesk = lazy(() => import("./BoxDesk").then((m) => ({ default: m.BoxDesk })));

const { detail: text } = t.pool;
/** Of how many images that come next all is known before they are shown. */
const AHEAD = 3;

type DetailPanelProps = {
  project: Project;
  /** Null where none is shown. */
  id: number | null;
  /** The images that were found, in order, to go on from one to the next. */
  examples: Example[];
  /** Words that were looked for. */
  marked: readonly Sought[];
  calls: LastCalls;
  onShow: (id: number | null) => void;
  onSimilar: (id: number) => void;
  onWithdrawn: (made: Withdrawal) => void;
};

/** One image, large, beside the others: all that is known of it, and what can be said of it. */
export function DetailPanel(props: DetailPanelProps) {
  const { project, id, onShow } = props;
  // Of images that are left it is told as well what became of their verdicts.
  const verdicts = useVerdicts(project, props.calls);
  if (id !== null) return <Panel {...props} id={id} verdicts={verdicts} />;
  return <Faults of={verdicts} id={id} onShow={onShow} />;
}

type PanelProps = DetailPanelProps & { id: number; verdicts: Verdicts };

function Panel(props: PanelProps) {
  const { project, id, examples, marked, onShow, onSimilar, verdicts } = props;
  const client = useQueryClient();
  const found = useQuery(exampleQuery(project.id, id));
  // Whoever goes on to the next image wants to see its like as well.
  const [similar, setSimilar] = useState(false);
  const [looks, setLooks] = useState(false);
  const [edited, setEdited] = useState<number | null>(null);
  const looksAt = canLook(project);
  const at = examples.findIndex((one) => one.id === id);
  const before = at > 0 ? examples[at - 1]?.id : undefined;
  const after = at >= 0 ? examples[at + 1]?.id : examples[0]?.id;
  // Whoever goes on says something of it at once.
  useEffect(() => {
    for (const { id } of examples.slice(at + 1, at + 1 + AHEAD))
      void client.prefetchQuery({ ...exampleQuery(project.id, id), staleTime: 30_000 });
  }, [client, project.id, examples, at]);
  const isEdited = edited === id && found.data !== undefined;
  const close = () => {
    onShow(null);
    focusGrid();
  };
  useKeyDown(
    (event) => {
      // The grid moves by itself when it has the focus, and so does a long text.
      if (isElsewhere(event) || event.defaultPrevented || movesText(event)) return;
      const key = keyOf(event);
      if (key === "escape") close();
      else if (key === "s") onSimilar(id);
      else if (key === "w" && looksAt) setLooks((before) => !before);
      else if (["arrowright", "arrowdown", "j"].includes(key) && after) onShow(after);
      else if (["arrowleft", "arrowup", "k"].includes(key) && before) onShow(before);
      else return;
      event.preventDefault();
    },
    { off: isEdited },
  );
  return (
    <aside className={styles.panel} aria-label={text.title}>
      <header className={styles.header}>
        <IconButton
          name={text.previous}
          path="M10 3 5 8l5 5"
          disabled={before === undefined}
          onClick={() => before !== undefined && onShow(before)}
        />
        <IconButton
          name={text.next}
          path="m6 3 5 5-5 5"
          disabled={after === undefined}
          onClick={() => after !== undefined && onShow(after)}
        />
        <h2 title={found.data?.name}>{found.data?.name ?? (found.error ? text.title : "…")}</h2>
        <Button kind="quiet" size="small" onClick={close}>
          {text.close}
        </Button>
      </header>
      {found.error && (
        <div className={styles.body}>
          {isNotFound(found.error) ? (
            <Empty title={text.missing} actions={<Button onClick={close}>{text.back}</Button>}>
              {text.missingText(id)}
            </Empty>
          ) : (
            <Failure error={found.error} onRetry={() => found.refetch()} />
          )}
        </div>
      )}
      {found.isPending && (
        <Loading>
          <Skeleton height="20rem" />
        </Loading>
      )}
      {found.data && (
        <Known
          project={project}
          example={found.data}
          verdicts={verdicts}
          isEdited={isEdited}
          onEdit={() => setEdited(id)}
          marked={marked}
          similar={similar}
          looks={looks}
          onLooks={setLooks}
          onNearest={() => setSimilar(true)}
          onSimilar={() => onSimilar(id)}
          onShow={onShow}
          onWithdrawn={(made) => {
            onShow(after ?? before ?? null);
            props.onWithdrawn(made);
          }}
        />
      )}
      {found.data && isEdited && (
        <Suspense fallback={null}>
          <BoxDesk
            project={project}
            example={found.data}
            verdicts={verdicts}
            onClose={() => setEdited((now) => (now === id ? null : now))}
          />
        </Suspense>
      )}
    </aside>
  );
}

type KnownProps = {
  project: Project;
  example: ExampleDetail;
  verdicts: Verdicts;
  isEdited: boolean;
  onEdit: () => void;
  marked: readonly Sought[];
  similar: boolean;
  looks: boolean;
  onLooks: (looks: boolean) => void;
  onNearest: () => void;
  onSimilar: () => void;
  onShow: (id: number) => void;
  onWithdrawn: (made: Withdrawal) => void;
};

function Known(props: KnownProps) {
  const { project, example, marked, similar, onNearest, onSimilar, onShow } = props;
  const { looks, onLooks, verdicts } = props;
  return (
    <div className={styles.body}>
      <Pictured {...{ project, example, marked, looks, onLooks }} />
      {!props.isEdited && <Faults of={verdicts} id={example.id} onShow={onShow} />}
      {canBeJudged(example) && (
        <VerdictKeys
          project={project}
          example={example}
          verdicts={verdicts}
          onEdit={props.onEdit}
          off={props.isEdited}
        />
      )}
      <div className={styles.chips}>
        <Chip tone={example.state === "labeled" ? "good" : "plain"} dot>
          {stateNames(project)[example.state]}
        </Chip>
        <Chip>{t.pool.values.split[example.split]}</Chip>
        {example.duplicates_of !== null && (
          <Link to={`?duplicate_of=${example.duplicates_of}&split=all`}>
            <Chip tone="gold">{t.alike.duplicates}</Chip>
          </Link>
        )}
        <CopyButton text={window.location.href} name={text.copyLink} />
        <Withdraw
          projectId={project.id}
          selection={{ ids: [example.id] }}
          onDone={props.onWithdrawn}
        />
      </div>
      <Facts project={project} example={example} />
      <section>
        <h3>{text.history}</h3>
        <History project={project} annotations={example.annotations} />
      </section>
      <section>
        <h3>{text.places}</h3>
        <Places places={example.places} />
      </section>
      <Metadata of={example} />
      <section>
        <h3>{text.neighbours}</h3>
        {similar ? (
          <NeighbourList project={project} exampleId={example.id} onShow={onShow} />
        ) : (
          <Button size="small" onClick={onNearest}>
            {text.showNeighbours}
          </Button>
        )}
        <Button size="small" aria-keyshortcuts="s" title={t.alike.findKey} onClick={onSimilar}>
          {t.alike.find}
        </Button>
      </section>
    </div>
  );
}

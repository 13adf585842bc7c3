import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { type NavigateOptions, useSearchParams } from "react-router";
import { ApiError } from "../../api/errors";
import { exampleCountQuery, examplesQuery, poolQueries, type Sort } from "../../api/pool";
import type { Project } from "../../api/types";
import { searchedWords } from "../../media/text/words";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { ButtonLink } from "../../ui/Button";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import { Compared } from "./Compared";
import { DetailPanel } from "./DetailPanel";
import { FieldChips } from "./FieldChips";
import { FilterPanel } from "./FilterPanel";
import { FinderFault } from "./FindByFile";
import {
  countFilters,
  exportsOf,
  isCompared,
  likeThese,
  readView,
  SIMILARITY_SORTS,
  SORTS,
  usualSort,
  withFilters,
  withoutFilters,
} from "./filters";
import { LookAlikes } from "./LookAlikes";
import { MapCard } from "./map/MapCard";
import { NothingFound } from "./NothingFound";
import { Outlined } from "./Outlined";
import { PassedOver } from "./PassedOver";
import { PoolBar } from "./PoolBar";
import { awaitGrid, PoolGrid } from "./PoolGrid";
import styles from "./PoolScreen.module.css";
import { PoolSearch } from "./PoolSearch";
import { SelectionBar } from "./SelectionBar";
import { useFileFinder } from "./useFileFinder";
import { useSelection } from "./useSelection";

/** Every image of a project: found by filters that the address keeps, looked at, and acted on. */
export function PoolScreen({ project }: { project: Project }) {
  const [query, setQuery] = useSearchParams();
  const address = query.toString();
  const { filters, sort, image, map, colour, chosenBy, words } = useMemo(
    () => readView(new URLSearchParams(address)),
    [address],
  );
  const client = useQueryClient();
  const found = useInfiniteQuery(examplesQuery(project.id, filters, sort));
  const count = useQuery(exampleCountQuery(project.id, filters));
  const examples = useMemo(
    () => found.data?.pages.flatMap((page) => page.items) ?? [],
    [found.data],
  );
  const last = found.data?.pages.at(-1);
  // While other filters load it stays what it was, and so do the fields that somebody types into.
  const [scoresRound, setScoresRound] = useState<number | null>(null);
  if (last && last.scores_round !== scoresRound) setScoresRound(last.scores_round);
  const selection = useSelection(examples, filters);
  const { clear: clearSelection } = selection;
  const [calls] = useState(() => new Map<number, string>());
  const [withdrawn, setWithdrawn] = useState<number | null>(null);
  const [open, setOpen] = useState(false);

  const put = (name: string, value: string | null, how: NavigateOptions = { replace: true }) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    }, how);
  // One step back closes the panel, however many images were looked at.
  const show = (id: number | null) =>
    put("image", id === null ? null : String(id), {
      replace: image !== null || id === null,
    });
  const change = (values: Parameters<typeof withFilters>[1]) => {
    selection.clear();
    setQuery((before) => withFilters(before, values), { replace: true });
  };
  const order = (value: Sort) =>
    setQuery(
      (before) => {
        const next = withFilters(before, {});
        if (value === usualSort(filters)) next.delete("sort");
        else next.set("sort", value);
        return next;
      },
      { replace: true },
    );
  const clear = () => {
    selection.clear();
    setQuery((before) => withoutFilters(before), { replace: true });
  };
  // A step of its own: back leads to what was shown before.
  const like = useCallback(
    (to: Parameters<typeof likeThese>[1]) => {
      clearSelection();
      setQuery((before) => likeThese(before, to));
      awaitGrid();
      window.scrollTo({ top: 0 });
    },
    [setQuery, clearSelection],
  );
  const likeImage = useCallback((id: number) => like({ ids: [id] }), [like]);
  const finder = useFileFinder(
    project.id,
    useCallback((file: number) => like({ file }), [like]),
  );
  const marked = useMemo(() => searchedWords(filters.search ?? ""), [filters.search]);
  const compared = isCompared(filters);
  // Where no model learns there are no scores to put in order by.
  const plain = traitsOf(project).isLearned ? SORTS : SORTS.slice(0, 1);
  const notCompared = found.error instanceof ApiError && found.error.code === "not_compared";
  const set = countFilters(filters);
  const isEmpty = found.isSuccess && examples.length === 0 && !found.hasNextPage;
  return (
    <div className={styles.page}>
      <PoolSearch
        project={project}
        search={filters.search ?? ""}
        words={words}
        onSearch={(search) => change({ search: search.trim() || null })}
        onLike={like}
      />
      <PoolBar
        count={count.data ?? null}
        map={map}
        onMap={(shown) => put("view", shown ? "map" : null)}
        filters={set}
        exports={exportsOf(project.id, filters)}
        open={open}
        onOpen={setOpen}
        sort={sort}
        sorts={compared ? [...SIMILARITY_SORTS, ...plain] : plain}
        onSort={order}
        finder={finder}
        onRefresh={() => client.resetQueries({ queryKey: poolQueries.all(project.id) })}
        busy={found.isFetching && !found.isFetchingNextPage}
      />
      <FieldChips filters={filters} onChange={change} />
      <PassedOver />
      <FinderFault finder={finder} />
      {compared ? (
        <Compared filters={filters} words={words} onOpen={show} onEnd={() => like(null)} />
      ) : (
        <LookAlikes project={project} filters={filters} isUnfiltered={!set} onChange={change} />
      )}
      <div className={styles.columns}>
        <aside id="pool-filters" className={styles.filters} data-open={open || undefined}>
          <FilterPanel
            project={project}
            filters={filters}
            scoresRound={scoresRound}
            onChange={change}
            onClear={set > 0 ? clear : null}
          />
        </aside>
        <div className={styles.results}>
          {map && (
            <div className={styles.map}>
              <MapCard
                project={project}
                by={colour}
                chosenBy={chosenBy}
                outline={filters.outline ?? null}
                onColour={(by) => put("colour", by === "state" ? null : by)}
                onChosenBy={(id) => put("chosen_by", String(id))}
                onOutline={(outline) => change({ outline })}
                onOpen={show}
              />
            </div>
          )}
          {filters.outline && count.data && (
            <Outlined
              count={count.data}
              selection={selection}
              onClose={map ? null : () => change({ outline: null })}
            />
          )}
          {notCompared && (
            <Empty
              title={t.alike.never}
              actions={<ButtonLink to="?view=duplicates">{t.alike.compare}</ButtonLink>}
            >
              {t.alike.notCompared}
            </Empty>
          )}
          {found.error && !notCompared && !found.isFetchNextPageError && (
            <Failure error={found.error} onRetry={() => found.refetch()} />
          )}
          {found.isPending && (
            <Loading>
              <Skeleton height="30rem" />
            </Loading>
          )}
          {isEmpty && (
            <NothingFound
              project={project}
              isSearched={Boolean(filters.search)}
              isFiltered={set > 0 || project.counts.pool > 0}
              onClear={clear}
              onEndSearch={() => change({ search: null })}
              onWiden={filters.split === "all" ? null : () => change({ split: "all" })}
            />
          )}
          {found.data && !isEmpty && (
            <PoolGrid
              key={JSON.stringify([filters, sort])}
              examples={examples}
              project={project}
              sort={sort}
              selection={selection}
              marked={marked}
              image={image}
              more={found.hasNextPage}
              error={found.isFetchNextPageError ? found.error : null}
              searched={last?.searched ?? 1}
              isLoading={found.isFetchingNextPage}
              onMore={() => found.fetchNextPage()}
              onOpen={show}
              onSimilar={(ids) => like({ ids })}
            />
          )}
        </div>
      </div>
      <SelectionBar
        project={project}
        filters={filters}
        count={count.data ?? null}
        examples={examples}
        selection={selection}
        calls={calls}
        withdrawn={withdrawn}
        onWithdrawn={setWithdrawn}
        onSimilar={(ids) => like({ ids })}
      />
      <DetailPanel
        {...{ project, examples, marked, calls }}
        id={image}
        onShow={show}
        onSimilar={likeImage}
        onWithdrawn={(made) => setWithdrawn(made.id)}
      />
    </div>
  );
}

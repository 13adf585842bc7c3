import { type InfiniteData, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { paths } from "./schema";
import type { Changed, Example, ExamplePage, Filters, Judged, Judgement, Selection } from "./types";

export type Sort = NonNullable<
  NonNullable<paths["/api/projects/{project_id}/examples"]["get"]["parameters"]["query"]>["sort"]
>;
type Place = { cursor: number | null; round: number | null };

const PAGE = 200;
const at = (projectId: number) => ({ path: { project_id: projectId } });
const of = (projectId: number, exampleId: number) => ({
  path: { project_id: projectId, example_id: exampleId },
});

/** Without what is not asked for. */
const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>;

/** Not below the project's key: whoever scrolls through a large pool must not load it anew with every event. */
const poolKey = (projectId: number) => ["pool", projectId];

export const examplesQuery = (projectId: number, filters: Filters, sort: Sort) =>
  infiniteQueryOptions({
    queryKey: [...poolKey(projectId), "examples", filters, sort],
    queryFn: ({ pageParam }) =>
      call(
        client.GET("/api/projects/{project_id}/examples", {
          params: {
            ...at(projectId),
            query: { ...given(filters), ...given(pageParam), sort, limit: PAGE },
          },
        }),
      ),
    initialPageParam: { cursor: null, round: filters.round ?? null } as Place,
    // The scores of the first page are those of all pages, whatever rounds end meanwhile.
    getNextPageParam: (page): Place | undefined =>
      page.next_cursor === null
        ? undefined
        : { cursor: page.next_cursor, round: page.scores_round },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

export type ExamplePages = InfiniteData<ExamplePage, Place>;

/** Filters that are in an address as the API has them. */
export function filtersOf(address: string): Filters {
  const query = new URLSearchParams(address);
  const fields = query.getAll("fields");
  query.delete("fields");
  // The API reads numbers from text, as from any address.
  return {
    ...Object.fromEntries(query),
    ...(fields.length > 0 && { fields }),
  } as unknown as Filters;
}

export const exampleCountQuery = (projectId: number, filters: Filters) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "count", filters],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/examples/count", {
          params: { ...at(projectId), query: given(filters) },
        }),
      ),
  });

/** Fields that came with the examples, each with a value. */
export const fieldsQuery = (projectId: number) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "fields"],
    queryFn: () =>
      call(client.GET("/api/projects/{project_id}/examples/fields", { params: at(projectId) })),
  });

/** Values of a field and how many examples that match have each. */
export const fieldValuesQuery = (projectId: number, of: string, filters: Filters) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "fields", of, filters],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/examples/fields/values", {
          params: { ...at(projectId), query: { ...given(filters), of } },
        }),
      ),
  });

export const exampleQuery = (projectId: number, exampleId: number) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "example", exampleId],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/examples/{example_id}", {
          params: of(projectId, exampleId),
        }),
      ),
  });

export const neighboursQuery = (projectId: number, exampleId: number) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "neighbours", exampleId],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/examples/{example_id}/neighbours", {
          params: { ...of(projectId, exampleId), query: { limit: 12 } },
        }),
      ),
  });

export const lookAlikesQuery = (projectId: number) =>
  queryOptions({
    queryKey: [...poolKey(projectId), "look-alikes"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/examples/look-alikes", { params: at(projectId) }),
      ),
  });

export type PoolAction = "queue" | "unqueue" | "hold-out" | "release";

/** How many examples the API takes in one request. */
export const MOST_AT_ONCE = 10_000;

export const actOnExamples = (
  projectId: number,
  action: PoolAction,
  body: Selection,
): Promise<Changed> =>
  call(
    client.POST(`/api/projects/{project_id}/examples/${action}`, { params: at(projectId), body }),
  );

/** Say of images of the pool what they are; a skip takes back what one has said so. */
export const judgeExamples = (projectId: number, body: Judgement): Promise<Judged> =>
  call(client.POST("/api/projects/{project_id}/examples/verdict", { params: at(projectId), body }));

/** What takes back a verdict on images that was given so, and nothing else. */
export const undoing = ({ example_ids, call }: Judged): Judgement => ({
  ids: example_ids,
  verdict: "skip",
  undoes: call,
});

export const promoteExamples = (projectId: number, name: string, selection: Selection) =>
  call(
    client.POST("/api/projects/{project_id}/examples/promote", {
      params: at(projectId),
      body: { ...selection, name },
    }),
  );

/** Everything known of a project's examples, for when it has changed. */
export const poolQueries = { all: poolKey };

/** Pages in which the examples `ids` are changed. */
export function withChanged(
  data: ExamplePages | undefined,
  ids: ReadonlySet<number>,
  change: (example: Example) => Example,
): ExamplePages | undefined {
  return (
    data && {
      ...data,
      pages: data.pages.map((page) => ({
        ...page,
        items: page.items.map((one) => (ids.has(one.id) ? change(one) : one)),
      })),
    }
  );
}

import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Judge = Schemas["JudgeOut"];
type Create = Schemas["JudgeCreate"];
/** Everything of a judge that can be typed. A key that is left out stays as it is. */
export type JudgeInput = Omit<Required<Create>, "key"> & { key?: string | null };

const ASK_AGAIN_MS = 1_500;

const at = (id: number) => ({ params: { path: { judge_id: id } } });

const isTried = ({ trial }: Judge): boolean => trial !== null && trial.tried_at === null;

/** The judges that there are; asked for again while one is tried. */
export const judgesQuery = queryOptions({
  queryKey: ["judges"],
  queryFn: () => call(client.GET("/api/judges")),
  refetchInterval: ({ state }) => (state.data?.items.some(isTried) ?? false) && ASK_AGAIN_MS,
});

export const createJudge = (body: JudgeInput) => call(client.POST("/api/judges", { body }));

export const updateJudge = (id: number, body: JudgeInput) =>
  call(client.PATCH("/api/judges/{judge_id}", { ...at(id), body }));

export const tryJudge = (id: number) => call(client.POST("/api/judges/{judge_id}/try", at(id)));

export const removeJudge = (id: number) => call(client.DELETE("/api/judges/{judge_id}", at(id)));

import { queryOptions } from "@tanstack/react-query";
import { type AlgorithmWords, loadAlgorithmWords } from "../strings/algorithmWords";
import { language } from "../strings/language";
import { call, client } from "./client";
import type { Algorithm, ParamSchema } from "./types";

/** The catalog, in the reader's language. */
export const algorithmsQuery = queryOptions({
  queryKey: ["algorithms", language],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => {
    const [catalog, words] = await Promise.all([
      call(client.GET("/api/algorithms")),
      loadAlgorithmWords(),
    ]);
    return words ? { items: catalog.items.map((one) => translated(one, words)) } : catalog;
  },
});

/** The parameters of an algorithm, by their names. */
export const parametersOf = (algorithm: Algorithm): Record<string, ParamSchema> =>
  (algorithm.params_schema.properties ?? {}) as Record<string, ParamSchema>;

/** An algorithm in other words; one whose summary has none comes from another package and stays. */
export function translated(algorithm: Algorithm, words: AlgorithmWords): Algorithm {
  const { title, summary, paper, params_schema } = algorithm;
  if (words[summary] === undefined) return algorithm;
  const say = (text: string) => words[text] ?? text;
  const properties = Object.entries(parametersOf(algorithm)).map(([name, schema]) => [
    name,
    { ...schema, title: say(schema.title ?? name), description: say(schema.description ?? "") },
  ]);
  return {
    ...algorithm,
    title: say(title),
    summary: say(summary),
    paper: say(paper),
    params_schema: { ...params_schema, properties: Object.fromEntries(properties) },
  };
}

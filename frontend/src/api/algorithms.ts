import { queryOptions, useQuery } from "@tanstack/react-query";
import { inWords, t } from "../strings";
import { type AlgorithmWords, loadAlgorithmWords } from "../strings/algorithmWords";
import { values } from "../strings/en/values";
import { language } from "../strings/language";
import { call, client } from "./client";
import type { Algorithm, Job, ParamSchema, Round } from "./types";

/** Whether the words of the reader's language have arrived; until then English stands in. */
export type Worded = { isWorded: boolean };

/** What is no word, but may be the name of something; parts of files and columns of none are left. */
export const NAMES = /(?<![\w./])[a-z0-9]+(?:_[a-z0-9]+)+(?![\w.]*\w)/g;

const ASK_AGAIN_MS = 3_000;
/** Which defaults suit the workers changes as these come and go. */
const FRESH_MS = 60_000;

/** What never changes is kept; what stands in is asked for again at its next use. */
export const untilWorded = (data: Worded | null | undefined): number =>
  data?.isWorded === false ? 0 : Number.POSITIVE_INFINITY;

/** And meanwhile, after so many milliseconds. */
export const askAgainFor = (data: Worded | null | undefined): number | false =>
  data?.isWorded === false && ASK_AGAIN_MS;

/** The catalog, in the reader's language. */
export const algorithmsQuery = queryOptions({
  queryKey: ["algorithms", language],
  queryFn: async () => {
    const [catalog, words] = await Promise.all([
      call(client.GET("/api/algorithms")),
      loadAlgorithmWords().catch(() => undefined),
    ]);
    const items = catalog.items.map((one) => (words ? translated(one, words) : inPlainWords(one)));
    const said = items.map((one) => plain(named(one, items), items));
    return { items: said, isWorded: words !== undefined };
  },
  staleTime: ({ state }) => Math.min(FRESH_MS, untilWorded(state.data)),
  refetchInterval: ({ state }) => askAgainFor(state.data),
});

/** What algorithms of a kind are called; by their names while the catalog is not there. */
export function useTitles(kind: Algorithm["kind"]): (name: string) => string {
  const { data } = useQuery(algorithmsQuery);
  const others = kind === "strategy" ? t.guarantee.strategies : {};
  return (name) => inWords(titleOf(data?.items ?? [], kind, name) ?? others[name] ?? name);
}

/** What chose the images of a round; those of the first are chosen before a model can, unless they are to be ranked. */
export function useStrategyOf(): (round: Pick<Round, "number" | "strategy">) => string {
  const titleOf = useTitles("strategy");
  return ({ number, strategy }) =>
    number === 0 && strategy === "random" ? t.advice.firstQueue.label : titleOf(strategy);
}

const titleOf = (algorithms: Algorithm[], kind: string | undefined, name: string) =>
  algorithms.find((one) => one.kind === kind && one.name === name)?.title;

/** The parameters of an algorithm, by their names. */
export const parametersOf = (algorithm: Algorithm): Record<string, ParamSchema> =>
  (algorithm.params_schema.properties ?? {}) as Record<string, ParamSchema>;

/** An algorithm that is asked only for those of its parameters that say something. */
export function askedFor(algorithm: Algorithm, says: (name: string) => boolean): Algorithm {
  const properties = Object.entries(parametersOf(algorithm)).filter(([name]) => says(name));
  return {
    ...algorithm,
    params_schema: { ...algorithm.params_schema, properties: Object.fromEntries(properties) },
  };
}

/** What the catalog says of a kind of job. */
export const jobOf = (algorithms: Algorithm[] | undefined, kind: string): Algorithm | undefined =>
  algorithms?.find((one) => one.kind === "job" && one.name === kind);

/** The defaults, with what was given; what is no parameter any more is left out. */
export const paramsWith = ({ defaults }: Algorithm, given: Job["params"]): Job["params"] =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, name in given ? given[name] : value]),
  );

/** An algorithm in other words; one whose summary has none comes from another package and stays. */
export function translated(algorithm: Algorithm, words: AlgorithmWords): Algorithm {
  const { title, summary, paper } = algorithm;
  if (words[summary] === undefined) return algorithm;
  const say = (text: string) => words[text] ?? text;
  const said = { title: say(title), summary: say(summary), paper: say(paper) };
  const english = { title, summary };
  const of_texts = algorithm.of_texts && {
    ...algorithm.of_texts,
    summary: say(algorithm.of_texts.summary),
    descriptions: Object.fromEntries(
      Object.entries(algorithm.of_texts.descriptions).map(([name, text]) => [name, say(text)]),
    ),
  };
  return withParameters({ ...algorithm, ...said, of_texts, english }, (schema, name) => ({
    ...withWords(schema, (value) => words[value]),
    title: say(schema.title ?? name),
    description: say(schema.description ?? ""),
  }));
}

/** An algorithm whose parameters call their values by words; in English all else says what it is. */
const inPlainWords = (algorithm: Algorithm): Algorithm =>
  withParameters(algorithm, (schema) => withWords(schema, (value) => values[value]));

/** Parameters of jobs whose values are algorithms, and the kind of these. */
const KINDS: Record<string, Algorithm["kind"]> = {
  features: "model",
  learner: "learner",
  method: "pruning",
  network: "model",
};

/** An algorithm that calls others, where its parameters choose among them, by their titles. */
export const named = (algorithm: Algorithm, all: Algorithm[]): Algorithm =>
  withParameters(algorithm, (schema, name) =>
    withWords(schema, (value) => titleOf(all, kindOf(algorithm, name), value)),
  );

/** An algorithm that is described by titles, of algorithms and values, in place of their names. */
export function plain(algorithm: Algorithm, all: Algorithm[]): Algorithm {
  const properties = parametersOf(algorithm);
  const values = Object.assign({}, ...Object.values(properties).map(({ words }) => words));
  const say = (text: string) =>
    text.replace(NAMES, (name) => {
      const title = values[name] ?? all.find((one) => one.name === name)?.title;
      const called = title ?? properties[name]?.title;
      return called === undefined ? name : `“${called}”`;
    });
  const { of_texts: ofTexts } = algorithm;
  const of_texts = ofTexts && {
    ...ofTexts,
    descriptions: Object.fromEntries(
      Object.entries(ofTexts.descriptions).map(([name, text]) => [name, say(text)]),
    ),
  };
  return withParameters({ ...algorithm, of_texts }, (schema) => ({
    ...schema,
    description: say(schema.description ?? ""),
  }));
}

/** Which kind of algorithm a parameter names. */
const kindOf = ({ name }: Algorithm, parameter: string): Algorithm["kind"] | undefined =>
  name === "select_instructions" && parameter === "method"
    ? "instruction_selection"
    : KINDS[parameter];

/** A parameter that names a subset of the project, as a choice among those there are. */
export const SUBSET = "subset";

/** The words of a choice: what stands for none, what one is called, and what it is for. */
export type ChoiceWords = { none: string; nameOf: (id: number) => string; hint: string };

/** An algorithm whose parameter `subset` is chosen from a list instead of typed. */
export const withSubsets = (algorithm: Algorithm, ids: number[], words: ChoiceWords): Algorithm =>
  withParameters(algorithm, (schema, name) =>
    name === SUBSET
      ? {
          ...schema,
          description: words.hint,
          enum: [null, ...ids],
          words: {
            null: words.none,
            ...Object.fromEntries(ids.map((id) => [String(id), words.nameOf(id)])),
          },
        }
      : schema,
  );

/** The format of a parameter that names uploaded weights. */
const WEIGHTS = "weights";

/** Whether an algorithm may start from uploaded weights. */
export const takesWeights = (algorithm: Algorithm): boolean =>
  Object.values(parametersOf(algorithm)).some((schema) => schema.format === WEIGHTS);

/** The library whose networks understand captions, where an algorithm compares images by one. */
export const captionsOf = (algorithm: Algorithm): string | undefined =>
  Object.values(parametersOf(algorithm)).find((schema) => schema.format === WEIGHTS)?.library;

/** An algorithm whose weights are chosen from a list instead of typed; what is chosen is in it. */
export const withWeights = (
  algorithm: Algorithm,
  names: string[],
  chosen: string,
  words: { published: string; hint: string },
): Algorithm =>
  withParameters(algorithm, (schema) =>
    schema.format === WEIGHTS
      ? {
          ...schema,
          description: words.hint,
          enum: [...new Set(["", ...names, chosen])],
          words: { "": words.published },
        }
      : schema,
  );

/** An algorithm whose parameters are described otherwise. */
export const withParameters = (
  algorithm: Algorithm,
  change: (schema: ParamSchema, name: string) => ParamSchema,
): Algorithm => ({
  ...algorithm,
  params_schema: {
    ...algorithm.params_schema,
    properties: Object.fromEntries(
      Object.entries(parametersOf(algorithm)).map(([name, schema]) => [name, change(schema, name)]),
    ),
  },
});

/** Adds words to the values of a choice; those that descriptions name are told with their name. */
function withWords(
  schema: ParamSchema,
  wordOf: (value: string) => string | undefined,
): ParamSchema {
  if (!schema.enum) return schema;
  const words = schema.enum.map(String).flatMap((value) => {
    const word = wordOf(value);
    const isName = value.includes("_");
    return word === undefined ? [] : [[value, isName ? word : `${word} (${value})`]];
  });
  return { ...schema, words: { ...schema.words, ...Object.fromEntries(words) } };
}

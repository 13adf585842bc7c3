import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, NAMES, parametersOf } from "../api/algorithms";
import type { Algorithm } from "../api/types";
import { inWords, t } from "../strings";
import { type Fault, parameterAt } from "../strings/faults";

const KINDS: Record<string, Algorithm["kind"]> = {
  strategy: "strategy",
  purity: "purity",
  informativeness: "informativeness",
  job: "job",
};
/** Where sentences of the server name an algorithm, and as what. */
const MENTIONS = /\b(strategy|purity|informativeness|the job) ([a-z][a-z0-9_]*)\b/gi;
const MODELS = /, as ([a-z][a-z0-9_]*) is\b/g;
/** Features that a round compares, each with how wrong it is. */
const FEATURES = /\bTold apart by ([a-z][a-z0-9_]*)|\b([a-z][a-z0-9_]*) \d\.\d\d\b/g;
const CHOICES = /\bchoose ([a-z][a-z0-9_]*) as the (strategy|purity|informativeness)\b/g;
const PARAMETERS = /\b(?:parameter|set) ([a-z][a-z0-9_]*)\b/g;

/**
 * A sentence with the titles of algorithms, and of parameters, where the server has their names; `parameters` are
 * names that are known to be some.
 */
export function titled(
  english: string,
  told: string,
  algorithms: Algorithm[],
  parameters: readonly string[] = [],
): string {
  const titles = new Map<string, string>();
  const note = (kind: string | undefined, name: string | undefined) => {
    const found = algorithms.find((one) => one.kind === kind && one.name === name);
    if (found) titles.set(found.name, inWords(found.title));
  };
  for (const [, kind = "", name] of english.matchAll(MENTIONS)) {
    note(KINDS[kind.toLowerCase().replace("the ", "")], name);
  }
  for (const [, name] of english.matchAll(MODELS)) note("model", name);
  for (const [, name, rival] of english.matchAll(FEATURES)) note("model", name ?? rival);
  for (const [, name, kind = ""] of english.matchAll(CHOICES)) note(KINDS[kind], name);
  const mentioned = [...english.matchAll(PARAMETERS)].map(([, name = ""]) => name);
  for (const name of [...mentioned, ...parameters]) {
    const title = parameterOf(algorithms, name);
    if (title) titles.set(name, title);
  }
  for (const [name] of english.matchAll(NAMES)) {
    if (titles.has(name)) continue;
    const found = algorithms.find((one) => one.name === name);
    const title = found ? inWords(found.title) : (parameterOf(algorithms, name) ?? splits[name]);
    if (title) titles.set(name, title);
  }
  // In English a name may be a word of its own elsewhere; in other languages none is.
  const isEnglish = told === english;
  return [...titles].reduce(
    (text, [name, title]) =>
      text.replace(mentionOf(name, isEnglish), (_, before?: string) => `${before ?? ""}“${title}”`),
    told,
  );
}

const parameterOf = (algorithms: Algorithm[], name: string): string | undefined => {
  const found = algorithms.find((one) => name in parametersOf(one));
  return found && parametersOf(found)[name]?.title;
};

const splits: Readonly<Record<string, string>> = t.setup.splits;

const mentionOf = (name: string, isEnglish: boolean): RegExp =>
  isEnglish && !name.includes("_")
    ? new RegExp(
        `(\\b(?:strategy|purity|informativeness|job|parameter|set|choose|, as|apart by) )${name}\\b|\\b${name}(?= \\d\\.\\d\\d\\b)`,
        "gi",
      )
    : new RegExp(`(?<![A-Za-z0-9_])()${name}(?![A-Za-z0-9_])`, "g");

/** What the server says, as people read it. */
export function useSaid(): (sentence: string) => string {
  const { data } = useQuery(algorithmsQuery);
  return (sentence) => titled(sentence, t.common.said(sentence), data?.items ?? []);
}

/** The same of one sentence, for places that may show it before anybody has signed in. */
export function useTold(sentence: string, faults: readonly Fault[]): string {
  const parameters = faults.flatMap(namesOf);
  const naming =
    parameters.length > 0 ||
    [MENTIONS, MODELS, FEATURES, CHOICES, PARAMETERS, NAMES].some(
      (pattern) => sentence.search(pattern) >= 0,
    );
  // The catalog may itself be what could not be had.
  const { data } = useQuery({ ...algorithmsQuery, enabled: naming, retryOnMount: false });
  const told = faults.length > 0 ? t.common.faults(faults, sentence) : t.common.said(sentence);
  return titled(sentence, told, data?.items ?? [], parameters);
}

/** What may be a parameter in a fault of some: the one it is of, or those that contradict each other. */
const namesOf = (fault: Fault): string[] => {
  const name = parameterAt(fault);
  if (name === null) return [];
  const { message } = fault;
  return name === "" ? (message.match(/\b[a-z][a-z0-9_]*/g) ?? []) : [name];
};

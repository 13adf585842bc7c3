import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, jobOf, parametersOf } from "../../api/algorithms";
import { serving } from "../../api/serving";
import type { Algorithm, Job } from "../../api/types";
import { spokenOf } from "../../strings/medium";
import { labelOf, wordsOf } from "../../ui/ParamsForm";

/** What was given otherwise than the defaults of today, as words; without what `apart` names. */
export function changedOf(algorithm: Algorithm, given: Job["params"], apart: string): string {
  return Object.entries(parametersOf(algorithm))
    .filter(([name]) => name !== apart && name in given)
    .filter(([name]) => given[name] !== algorithm.defaults[name])
    .map(([name, schema]) => `${labelOf(name, schema)} ${wordsOf(given[name], schema)}`)
    .join(", ");
}

/** A function that says what else a subset's job was given than its method. */
export function useChangedOfPrune(): (given: Job["params"]) => string {
  const algorithms = useQuery(algorithmsQuery);
  const all = algorithms.data?.items;
  const prune = jobOf(all && serving(all, { medium: spokenOf() }), "prune");
  return (given) => (prune ? changedOf(prune, given, "method") : "");
}

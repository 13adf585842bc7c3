import { useQuery } from "@tanstack/react-query";
import { parametersOf, SUBSET, useTitles, withSubsets } from "../../api/algorithms";
import { subsetsQuery } from "../../api/subsets";
import type { Algorithm } from "../../api/types";
import { t } from "../../strings";

const { subsets: text } = t.jobs;

/** An algorithm that asks for a subset of the project, with those there are and the one that is given. */
export function useSubsetChoice(
  projectId: number,
  algorithm: Algorithm,
  given: unknown,
): Algorithm {
  const asks = SUBSET in parametersOf(algorithm);
  const found = useQuery({ ...subsetsQuery(projectId), enabled: asks });
  const titleOf = useTitles("pruning");
  // Without a list its number can still be typed.
  if (!asks || (found.isError && !found.data)) return algorithm;
  const subsets = found.data?.items ?? [];
  const known = subsets.map((one) => one.id);
  const ids = typeof given === "number" && !known.includes(given) ? [given, ...known] : known;
  return withSubsets(algorithm, ids, {
    none: text.everything,
    hint: text.choiceHint,
    nameOf: (id) => {
      const one = subsets.find((subset) => subset.id === id);
      return one ? text.option(id, titleOf(one.method), one.kept) : text.name(id);
    },
  });
}

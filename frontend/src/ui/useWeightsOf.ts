import { useQuery } from "@tanstack/react-query";
import { captionsOf, takesWeights, withWeights } from "../api/algorithms";
import type { Algorithm, Choice } from "../api/types";
import { weightsQuery } from "../api/weights";
import { t } from "../strings";

type Params = Choice["params"];

/**
 * A model, or a job that learns with a `network`, whose weights are chosen among those of its architecture, and what
 * corrects its parameters.
 */
export function useWeightsOf(
  algorithm: Algorithm,
  params: Params,
): [Algorithm, (params: Params) => Params] {
  const isAsked = takesWeights(algorithm);
  const { data } = useQuery({ ...weightsQuery, enabled: isAsked });
  if (!isAsked) return [algorithm, (changed) => changed];
  const all = data?.items ?? [];
  const known = all.filter((one) => one.state !== "refused" && one.state !== "lost");
  const isLost = (name: unknown) => all.some((one) => one.name === name && one.state === "lost");
  const captions = captionsOf(algorithm);
  if (captions) {
    const names = known.filter((one) => one.library === captions).map(({ name }) => name);
    const words = {
      published: t.weights.ofHub,
      hint: isLost(params.uploaded)
        ? t.weights.lost
        : names.length > 0
          ? t.weights.chooseCaptions
          : t.weights.noneOfCaptions,
    };
    const chosen = withWeights(algorithm, names, String(params.uploaded ?? ""), words);
    return [chosen, (changed) => changed];
  }
  const libraryOf = (some: Params) => String(some.network ?? algorithm.name);
  const architectureOf = (some: Params) =>
    String(some.architecture ?? algorithm.defaults.architecture);
  const namesFor = (some: Params) =>
    known
      .filter((one) => one.library === libraryOf(some) && one.architecture === architectureOf(some))
      .map(({ name }) => name);
  const architecture = architectureOf(params);
  const names = namesFor(params);
  const words = {
    published: t.weights.published,
    hint: isLost(params.weights)
      ? t.weights.lost
      : names.length > 0
        ? t.weights.choose
        : t.weights.noneFor(architecture),
  };
  // Those of another architecture go with it.
  const fitting = (changed: Params) =>
    (architectureOf(changed) === architecture && libraryOf(changed) === libraryOf(params)) ||
    namesFor(changed).includes(String(changed.weights))
      ? changed
      : { ...changed, weights: "" };
  return [withWeights(algorithm, names, String(params.weights ?? ""), words), fitting];
}

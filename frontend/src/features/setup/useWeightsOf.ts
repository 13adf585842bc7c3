import { useQuery } from "@tanstack/react-query";
import { takesWeights, withWeights } from "../../api/algorithms";
import type { Algorithm, Choice } from "../../api/types";
import { weightsQuery } from "../../api/weights";
import { t } from "../../strings";

type Params = Choice["params"];

/** A model whose weights are chosen among those of its architecture, and what corrects its parameters. */
export function useWeightsOf(
  algorithm: Algorithm,
  { params }: Choice,
): [Algorithm, (params: Params) => Params] {
  const isAsked = takesWeights(algorithm);
  const { data } = useQuery({ ...weightsQuery, enabled: isAsked });
  if (!isAsked) return [algorithm, (changed) => changed];
  const known = data?.items ?? [];
  const architectureOf = (some: Params) =>
    String(some.architecture ?? algorithm.defaults.architecture);
  const namesFor = (architecture: string) =>
    known
      .filter((one) => one.library === algorithm.name && one.architecture === architecture)
      .filter((one) => one.state !== "refused")
      .map(({ name }) => name);
  const architecture = architectureOf(params);
  const names = namesFor(architecture);
  const words = {
    published: t.weights.published,
    hint: names.length > 0 ? t.weights.choose : t.weights.noneFor(architecture),
  };
  // Those of another architecture go with it.
  const fitting = (changed: Params) =>
    architectureOf(changed) === architecture ||
    namesFor(architectureOf(changed)).includes(String(changed.weights))
      ? changed
      : { ...changed, weights: "" };
  return [withWeights(algorithm, names, String(params.weights ?? ""), words), fitting];
}

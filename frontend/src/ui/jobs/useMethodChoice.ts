import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, askedFor, parametersOf, withParameters } from "../../api/algorithms";
import { judgesQuery } from "../../api/judges";
import type { Algorithm, Job } from "../../api/types";
import { t } from "../../strings";

const JOB = "select_instructions";
const JUDGED = ["fp_instruction", "sample_scores"];
/** Parameters of the job itself that only some methods go by. */
const OF_METHODS: Record<string, string[]> = {
  judge_id: JUDGED,
  spend_at_most: JUDGED,
  features: ["fp_instruction", "k_means_random", "max_cover"],
  people_most: ["fp_instruction"],
  audit_share: ["fp_instruction"],
};

/**
 * The job that chooses instructions, with the judges that there are in place of a number, and without what the
 * chosen method does not go by. All else is as it was.
 */
export function useMethodChoice(algorithm: Algorithm, params: Job["params"]): Algorithm {
  const isIt = algorithm.name === JOB;
  const methods = useQuery({ ...algorithmsQuery, enabled: isIt }).data?.items ?? [];
  const judges = useQuery({ ...judgesQuery, enabled: isIt });
  if (!isIt) return algorithm;
  const method = String(params.method);
  const own = withoutIdle(algorithm, method, methods);
  // Without a list its number can still be typed.
  return judges.data ? withJudges(own, judges.data.items, params.judge_id) : own;
}

function withoutIdle(algorithm: Algorithm, method: string, all: Algorithm[]): Algorithm {
  const kinds = all.filter(({ kind }) => kind === "instruction_selection");
  const chosen = kinds.find(({ name }) => name === method);
  const own = new Set(chosen ? Object.keys(parametersOf(chosen)) : []);
  const others = new Set(kinds.flatMap((one) => Object.keys(parametersOf(one))));
  const goesBy = (name: string) =>
    OF_METHODS[name]?.includes(method) ?? (!chosen || own.has(name) || !others.has(name));
  return askedFor(algorithm, goesBy);
}

type Named = { id: number; name: string; model: string };

function withJudges(algorithm: Algorithm, judges: Named[], given: unknown): Algorithm {
  const { choice } = t.judges;
  const known = judges.map(({ id }) => id);
  const ids = typeof given === "number" && !known.includes(given) ? [given, ...known] : known;
  const nameOf = (id: number) => {
    const judge = judges.find((one) => one.id === id);
    return judge ? choice.option(judge.name, judge.model) : choice.gone(id);
  };
  return withParameters(algorithm, (schema, name) =>
    name === "judge_id"
      ? {
          ...schema,
          description: choice.hint,
          enum: [null, ...ids],
          words: {
            null: judges.length > 0 ? choice.none : choice.nobody,
            ...Object.fromEntries(ids.map((id) => [String(id), nameOf(id)])),
          },
        }
      : schema,
  );
}

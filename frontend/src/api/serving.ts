import { inWords } from "../strings";
import { parametersOf, withParameters } from "./algorithms";
import type { Algorithm, Project } from "./types";

type Served = Pick<Project, "medium"> & Partial<Pick<Project, "task">>;

/** Those that serve projects of a kind, in its words, and with what says something there. */
export const serving = (algorithms: Algorithm[], { medium, task }: Served): Algorithm[] => {
  const those = algorithms.filter(
    (one) => one.media.includes(medium) && (task === undefined || one.tasks.includes(task)),
  );
  if (medium === "image") return those;
  const networks = new Set(those.filter(({ kind }) => kind === "model").map(({ name }) => name));
  return those.map((one) => said(one, networks));
};

function said(algorithm: Algorithm, networks: ReadonlySet<string>): Algorithm {
  const { summary, descriptions, defaults } = algorithm.of_texts ?? {
    summary: "",
    descriptions: {} as Record<string, string>,
    defaults: algorithm.defaults,
  };
  const properties = Object.fromEntries(
    Object.entries(parametersOf(algorithm)).filter(([name]) => name in defaults),
  );
  return withParameters(
    {
      ...algorithm,
      title: inWords(algorithm.title),
      summary: summary || inWords(algorithm.summary),
      defaults,
      params_schema: { ...algorithm.params_schema, properties },
    },
    (schema, name) => ({
      ...schema,
      ...(schema.description !== undefined && {
        description: descriptions[name] ?? inWords(schema.description),
      }),
      ...(name === "network" &&
        schema.enum && { enum: schema.enum.filter((one) => networks.has(String(one))) }),
    }),
  );
}

import { ApiError } from "../../../api/errors";
import { plainName } from "../../../api/imports";
import { createProject } from "../../../api/projects";
import type { Project } from "../../../api/types";
import { type Kind, kinds } from "../kinds";

/** Of 100 characters that a name may have, those that leave room for a number. */
const MOST_NAME = 90;
const MOST_TRIES = 50;

/** A project that is called like what it is made of, with a number where there is one already. */
export async function createLike(content: { name: string }, kind: Kind): Promise<Project> {
  const name = nameOf(content);
  for (let number = 1; ; number += 1) {
    try {
      return await createProject(number === 1 ? name : `${name} ${number}`, kinds[kind]);
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === "name_taken";
      if (!isTaken || number >= MOST_TRIES) throw error;
    }
  }
}

const nameOf = ({ name }: { name: string }): string =>
  plainName(name)
    .replace(/\.(zip|tar|parquet|csv|tsv|jsonl|json)$/i, "")
    .trim()
    .slice(0, MOST_NAME) || name;

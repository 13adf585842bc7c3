import { help as boxes } from "./boxes/help";
import { help as instructions } from "./instructions/help";
import type { TaskHelp } from "./spec";

const HELP: Partial<Record<string, TaskHelp>> = { boxes, instructions };

/** The help of a type of task; null where one key says it all. */
export const helpOf = ({ task }: { task: string }): TaskHelp | null => HELP[task] ?? null;

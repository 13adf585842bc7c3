import type { Fields, Member } from "./model";
import { type Own, ownParts } from "./shared";

export type OwnFields = { instruction: Own | null; input: Own | null; response: Own | null };

/** What all rows are asked alike, to be shown once; null where they are not. */
export function askedAlike(members: readonly Member[]): Fields | null {
  const [first, ...others] = members.map(({ fields }) => fields);
  if (!first || others.length === 0 || [first, ...others].some(isConversation)) return null;
  const question = ({ system, instruction, input }: Fields) =>
    JSON.stringify([system ?? null, instruction, input ?? ""]);
  return others.every((one) => question(one) === question(first)) ? first : null;
}

const isConversation = ({ turns = [] }: Fields): boolean => turns.length > 0;

/** What of each row is its own, part by part, in the order of the rows. */
export function ownFields(members: readonly Member[]): OwnFields[] {
  const rows = members.map(({ fields }) => fields);
  const instructions = ownParts(rows.map(({ instruction }) => instruction));
  const inputs = ownParts(rows.map(({ input = "" }) => input));
  const responses = ownParts(rows.map((row) => row.responses[0] ?? ""));
  return rows.map((_, index) => ({
    instruction: instructions[index] ?? null,
    input: inputs[index] ?? null,
    response: responses[index] ?? null,
  }));
}

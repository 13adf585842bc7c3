import { t } from "../../strings";
import { type Attributes, FLAGS } from "./model";

/** As the server takes them. */
export const MOST_ATTRIBUTES = 50;
export const LONGEST_NAME = 100;
export const LONGEST_VALUE = 1000;

export const KINDS = ["text", "number", "truth"] as const;
export type Kind = (typeof KINDS)[number];

/** An attribute while somebody writes it; `id` tells it from the others. */
export type Row = { id: number; name: string; kind: Kind; value: string };

/** What is wrong with a row, by the field. */
export type Fault = { name?: string; value?: string };

const RESERVED: ReadonlySet<string> = new Set([...FLAGS, "rotation"]);
const KIND_OF = { string: "text", number: "number", boolean: "truth" } as const;

/** A row to write into. */
export const emptyRow = (id: number): Row => ({ id, name: "", kind: "text", value: "" });

/** What is there; a row to begin with where there is nothing. */
export function rowsOf(attributes: Attributes): Row[] {
  const rows = Object.entries(attributes).map(([name, value], id) => ({
    ...{ id, name, value: String(value) },
    kind: KIND_OF[typeof value as keyof typeof KIND_OF],
  }));
  return rows.length > 0 ? rows : [emptyRow(0)];
}

/** Whether nobody has written into it, so that it says nothing. */
const isEmpty = ({ name, kind, value }: Row) => name.trim() === "" && (kind === "truth" || !value);

/** What rows say that have no fault. */
export const attributesOf = (rows: readonly Row[]): Attributes =>
  Object.fromEntries(
    rows.filter((row) => !isEmpty(row)).map((row) => [written(row.name).trim(), meantBy(row)]),
  );

function meantBy({ kind, value }: Row): Attributes[string] {
  if (kind === "truth") return value === "true";
  return kind === "number" ? Number(value) : written(value);
}

/** A text without what a paste may bring and files cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const UNWRITABLE = /[\p{Cs}\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/gu;
const written = (text: string): string => text.replace(UNWRITABLE, "");

/** What is wrong with rows, by their ids. */
export function faultsOf(rows: readonly Row[]): Map<number, Fault> {
  const text = t.boxes.attributes.faults;
  const seen = new Set<string>();
  const faults = new Map<number, Fault>();
  for (const row of rows) {
    if (isEmpty(row)) continue;
    const { id, name, kind, value } = row;
    const plain = name.trim();
    const fault: Fault = {};
    if (plain === "") fault.name = text.empty;
    else if (RESERVED.has(plain.toLowerCase())) fault.name = text.reserved;
    else if (seen.has(plain)) fault.name = text.twice;
    seen.add(plain);
    const isNumber = value.trim() !== "" && Number.isFinite(Number(value));
    if (kind === "number" && !isNumber) fault.value = text.number;
    if (fault.name || fault.value) faults.set(id, fault);
  }
  return faults;
}

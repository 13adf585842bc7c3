import type { ColouredBy } from "../../api/embeddingMap";
import type { Sort } from "../../api/pool";
import type { Filters } from "../../api/types";
import { readCondition } from "./fieldConditions";
import { COLOURINGS } from "./map/colouring";

/** What the address says; everything else is as the server has it by default. */
export type View = {
  filters: Filters;
  sort: Sort;
  image: number | null;
  /** Whether the map is shown above the images, and in which colours. */
  map: boolean;
  colour: ColouredBy;
  /** What is looked for on images; empty where that is no words. */
  words: string;
  /** The job by whose choice it is coloured; null for the newest. */
  chosenBy: number | null;
};

export const SORTS: Sort[] = [
  "pool_index",
  "purity",
  "-purity",
  "informativeness",
  "-informativeness",
  "meta_score",
  "-meta_score",
  "confidence",
  "-confidence",
  "-isolation",
  "isolation",
];
/** Beside these, where images are compared with others. */
export const SIMILARITY_SORTS: Sort[] = ["-similarity", "similarity"];
export const CHOICES = {
  state: ["unlabeled", "queried", "labeled", "objects", "no_objects", "ood", "unsure", "held_out"],
  split: ["pool", "evaluation", "auxiliary_ood", "all"],
  verdict: ["label", "objects", "no_objects", "ood", "unsure", "skip"],
  source: ["people", "annotator", "import", "review", "model"],
} as const;
const NUMBERS = [
  "class_id",
  "predicted",
  "annotator_id",
  "import_id",
  "kept_by",
  "dropped_by",
  "round",
  "purity_min",
  "purity_max",
  "informativeness_min",
  "informativeness_max",
  "similar_file",
  "similarity_min",
  "duplicate_of",
] as const;
/** Ids of images with commas between them, as the server takes them. */
const IDS = /^[1-9]\d{0,17}(,[1-9]\d{0,17}){0,199}$/;
/** To how many images at once others can be compared. */
const MOST_COMPARED = 200;
/** The split that an address without one means, as for the server. */
const USUAL_SPLIT = "pool";

export function readView(query: URLSearchParams): View {
  const filters: Record<string, unknown> = {};
  for (const [name, choices] of Object.entries(CHOICES)) {
    const said = query.get(name);
    // An address of an earlier version.
    const value = name === "verdict" && said === "class" ? "label" : said;
    if (value !== null && (choices as readonly string[]).includes(value)) filters[name] = value;
  }
  filters.split ??= USUAL_SPLIT;
  for (const name of NUMBERS) {
    const text = query.get(name);
    if (text !== null && text !== "" && Number.isFinite(Number(text))) filters[name] = Number(text);
  }
  for (const name of ["disagreement", "note"]) {
    if (query.get(name) === "true") filters[name] = true;
  }
  const name = query.get("name")?.trim();
  if (name) filters.name = name;
  const search = query.get("search")?.trim();
  if (search) filters.search = search;
  const outline = query.get("outline");
  if (outline) filters.outline = outline;
  const similarTo = query.get("similar_to");
  if (similarTo !== null && IDS.test(similarTo)) filters.similar_to = similarTo;
  const fields = query.getAll("fields").filter(readCondition);
  if (fields.length > 0) filters.fields = fields;
  if (!isCompared(filters)) delete filters.similarity_min;
  const sorts = isCompared(filters) ? [...SORTS, ...SIMILARITY_SORTS] : SORTS;
  const sort = sorts.find((one) => one === query.get("sort")) ?? usualSort(filters);
  const image = idOf(query.get("image"));
  return {
    filters: filters as Filters,
    sort,
    image,
    map: query.get("view") === "map",
    words: filters.similar_file === undefined ? "" : (query.get("words") ?? ""),
    colour: COLOURINGS.find((one) => one === query.get("colour")) ?? "state",
    chosenBy: idOf(query.get("chosen_by")),
  };
}

/** The filters that an address has with values that there are not, as it has them. */
export function passedOver(query: URLSearchParams): [string, string][] {
  const filters: Record<string, unknown> = readView(query).filters;
  const known = new Set<string>([...Object.keys(CHOICES), ...NUMBERS, "similar_to"]);
  return [...query].filter(([name, value]) => {
    if (name === "fields") return !readCondition(value);
    if (name === "split") return value !== filters.split;
    return known.has(name) && value && filters[name] === undefined;
  });
}

function idOf(text: string | null): number | null {
  const id = Number(text);
  return Number.isInteger(id) && id > 0 ? id : null;
}

type Comparing = Pick<Partial<Filters>, "similar_to" | "similar_file">;

/** Whether images are compared with others, or with a file. */
export const isCompared = ({ similar_to, similar_file }: Comparing): boolean =>
  (similar_to ?? similar_file ?? null) !== null;

/** The order of an address that names none. */
export const usualSort = (filters: Comparing): Sort =>
  isCompared(filters) ? "-similarity" : "pool_index";

/** The ids that an image is compared with. */
export const comparedWith = ({ similar_to }: Comparing): number[] =>
  similar_to ? similar_to.split(",").map(Number) : [];

/** The address that shows what is like some images, or like a file, among what was shown. */
export function likeThese(
  query: URLSearchParams,
  to: { ids: Iterable<number> } | { file: number; words?: string } | null,
): URLSearchParams {
  const next = new URLSearchParams(query);
  const compared = [
    "similar_to",
    "similar_file",
    "words",
    "similarity_min",
    "sort",
    "image",
    "view",
  ];
  for (const name of compared) next.delete(name);
  if (to && "file" in to) {
    next.set("similar_file", String(to.file));
    if (to.words) next.set("words", to.words);
  } else if (to) next.set("similar_to", [...to.ids].slice(0, MOST_COMPARED).join(","));
  return next;
}

/** The address with other filters; the image that is open is closed. */
export function withFilters(query: URLSearchParams, change: Partial<Filters>): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete("image");
  for (const [name, value] of Object.entries(change)) {
    const isUsual = name === "split" && value === USUAL_SPLIT;
    next.delete(name);
    if (Array.isArray(value)) for (const one of value) next.append(name, String(one));
    else if (!isUsual && value !== null && value !== undefined && value !== "" && value !== false) {
      next.set(name, String(value));
    }
  }
  return next;
}

/** How many filters are set, beyond that the pool is shown. */
export const countFilters = ({
  split,
  similar_to,
  similar_file,
  fields,
  ...others
}: Filters): number =>
  Object.values(others).filter((value) => value !== undefined).length +
  (fields?.length ?? 0) +
  (split === USUAL_SPLIT ? 0 : 1);

/** The address of the exports of what the filters find. */
export function exportsOf(projectId: number, filters: Filters): string {
  const only = withFilters(new URLSearchParams(), filters);
  // Said also where it is the usual one: without any filter an export is of every split.
  only.set("split", filters.split);
  return `/projects/${projectId}/settings?${new URLSearchParams({ only: `${only}` })}#exports`;
}

/** The address of the whole pool, in the same view and order, that of likeness too. */
export function withoutFilters(query: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams();
  for (const name of [
    "sort",
    "view",
    "colour",
    "chosen_by",
    "similar_to",
    "similar_file",
    "words",
  ]) {
    const value = query.get(name);
    if (value !== null) next.set(name, value);
  }
  return next;
}

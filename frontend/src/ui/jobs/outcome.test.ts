import { expect, it } from "vitest";
import type { Job } from "../../api/types";
import { doneBy } from "./outcome";

const job = (kind: string, result: Job["result"], dry_run = false, params: Job["params"] = {}) =>
  ({ kind, result, dry_run, params }) as Job;

it.each([
  [job("advance_round", { closed: null, opened: 0 }), "Round 0 opened"],
  [job("advance_round", { closed: 2, opened: 3 }), "Round 2 closed, 3 opened"],
  [job("advance_round", { closed: 5, opened: null }), "Round 5 closed"],
  [job("import", { added: 2, annotations: 3, duplicates: 1, refused: 0 }), /^2 .*1 .*3 /],
  [
    job("import", { added: 5, by_split: { evaluation: 2 }, duplicates: 0, refused: 0 }),
    "5 images added · 2 of them for evaluation, with their labels",
  ],
  [job("import", { added: 0, annotations: 3, duplicates: 0, refused: 0 }), "3 labels added"],
  [job("import", { added: 0, duplicates: 4, refused: 0 }), "Nothing added, 4 duplicates"],
  [
    job("import", { added: 0, annotations: 3, duplicates: 0, unchanged: 2, empty: 1, refused: 0 }),
    "3 labels added, 2 known already, 1 without a label",
  ],
  [job("learn_features", { images: 40 }), "Features of 40 images"],
  [job("embedding_map", { images: 2000, features: "auto" }), "Map of 2,000 images"],
  [job("resize", { images: 1000, before: 32, input_size: 128 }), "1,000 images at 128 × 128"],
  [job("prune", { kept: 1200, labeled: 2000 }), "1,200 of 2,000 labels kept"],
  [job("relabel", { disagreements: 7, labeled: 280 }), "7 of 280 labels doubted"],
  [job("taufe", { methods: { plain: {}, oat: {}, taufe: {} } }), "3 ways to train compared"],
  [job("relabel", null, true), "Estimate"],
  [job("import_pool", null, true), "Waits for your answer"],
  [job("import_pool", null, true, { answer: "started" }), "Answered: the import was started"],
  [job("import_pool", null, true, { answer: "discarded" }), "Answered: discarded"],
  [job("export", { bytes: 7 }), null],
])("says in a line what %o has done", (done, said) => {
  if (said instanceof RegExp) expect(doneBy(done)).toMatch(said);
  else expect(doneBy(done)).toBe(said);
});

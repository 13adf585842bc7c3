import { locale } from "../language";
import { medium } from "./medium";
import { ranking } from "./ranking";
import { plural } from "./words";

/** What a draft is of, how it is saved and folded, what a round asks about, and what an import brought. */
export const draft = {
  medium,
  ranking,
  paysForPool: (images: number, fewer: number) =>
    `The pool has ${plural(images, "image", "images")}: one round asks about all of them, and the model has nothing left to choose. With a budget of ${fewer.toLocaleString(locale)} or less it learns in between.`,
  forEvaluation: (count: number) =>
    `${count.toLocaleString(locale)} of them for evaluation, with their labels`,
  notSaved: "Not saved yet",
  allSaved: "Everything here is saved.",
  keptHere: "Until then, this tab keeps what you typed.",
  savedNext: "What you edited is kept in this tab, and saved once you try again or edit further.",
  moreMethod: "More: rounds, costs, strategy, model",
  beforeImport: "Before it is imported: where to, labels, size",
  importedPart: "Imported in part",
  unknownLabels: (count: number, names: string[]) => {
    const shown = names.slice(0, 6).join(", ");
    const more = names.length > 6 ? ", …" : "";
    return `${plural(count, "item", "items")} stayed out, as their labels are no classes here: ${shown}${more}. If they should be, add them to the classes and import again.`;
  },
  noEvaluation: "None of its evaluation images came in, so accuracy cannot be measured on them.",
};

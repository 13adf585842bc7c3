import { medium } from "./medium";
import { ranking } from "./ranking";
import { plural } from "./words";

/** What a draft is of, how it is saved and folded, and what an import left out. */
export const draft = {
  medium,
  ranking,
  notSaved: "Not saved yet",
  allSaved: "Everything here is saved.",
  keptHere: "Until then, this tab keeps what you typed.",
  moreMethod: "More: rounds, costs, strategy, model",
  beforeImport: "Before it is imported: where to, labels, size",
  importedPart: "Imported in part",
  unknownLabels: (count: number, names: string[]) => {
    const shown = names.slice(0, 6).join(", ");
    const more = names.length > 6 ? ", …" : "";
    return `${plural(count, "item", "items")} stayed out, as their labels are no classes here: ${shown}${more}. If they should be, add them to the classes and import again.`;
  },
  noEvaluation:
    "None of its evaluation images came in, and accuracy is measured on such images alone.",
};

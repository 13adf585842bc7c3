import { saidOf as boxesSay } from "./boxes/describe";
import { saidOf as orderSays } from "./instructions/describe";

/** What a label says that is more than one class, in a few words; null where it is one. */
export const saidOf = (label: unknown): string | null => boxesSay(label) ?? orderSays(label);

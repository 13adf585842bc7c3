import { en } from "./en";

/** Every string a user reads. A second language is a second catalogue of this shape. */
export type Catalogue = typeof en;

export const t: Catalogue = en;

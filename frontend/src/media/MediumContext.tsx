import { createContext, type ReactNode, useContext } from "react";
import { type Medium, speakOf } from "../strings/medium";

const MediumContext = createContext<Medium>("image");

/** What the examples of the project on this page are. */
export const useMedium = (): Medium => useContext(MediumContext);

/** What an example is, where its project is not known: only texts have no size. */
export const mediumOf = ({ width }: { width: number | null }): Medium =>
  width === null ? "text" : "image";

/** A part of a page about examples of one medium. */
export function OfMedium({ medium, children }: { medium: Medium; children: ReactNode }) {
  return <MediumContext value={medium}>{children}</MediumContext>;
}

/** A page about the examples of one medium, which its words are about too. */
export function PageOfMedium({ medium, children }: { medium: Medium; children: ReactNode }) {
  speakOf(medium);
  return <MediumContext value={medium}>{children}</MediumContext>;
}

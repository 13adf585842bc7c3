import { createContext, type ReactNode, useContext, useLayoutEffect } from "react";
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

/**
 * Words about examples of a medium, from here on; undefined: another part of the page says it.
 *
 * To be called before the first word of a page. Said once more when the page is shown: one that is
 * rendered and then left for another must not have the last word.
 */
export function useWordsOf(medium: Medium | undefined): void {
  if (medium) speakOf(medium);
  useLayoutEffect(() => {
    if (medium) speakOf(medium);
  });
}

/** A page about the examples of one medium. Nothing that keeps words stays for one of another. */
export function PageOfMedium({ medium, children }: { medium: Medium; children: ReactNode }) {
  return (
    <MediumContext key={medium} value={medium}>
      {children}
    </MediumContext>
  );
}

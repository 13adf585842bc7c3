import { t } from "../strings";
import { Term } from "./Term";

/** Terms that the server uses in what it says of a round. */
const TERMS = ["log_loss"] as const;

/** A sentence of the server; terms of the glossary in it tell what they mean behind a hover. */
export function Explained({ children }: { children: string }) {
  // Letters of names may be longer as small ones, so places are looked for in the text itself.
  const found = TERMS.map((of) => ({ of, at: children.search(new RegExp(wordOf(of), "i")) })).find(
    ({ at }) => at >= 0,
  );
  if (!found) return children;
  const { of, at } = found;
  const end = at + wordOf(of).length;
  return (
    <>
      {children.slice(0, at)}
      <Term of={of}>{children.slice(at, end)}</Term>
      <Explained>{children.slice(end)}</Explained>
    </>
  );
}

const wordOf = (of: (typeof TERMS)[number]): string => t.glossary.terms[of].word;

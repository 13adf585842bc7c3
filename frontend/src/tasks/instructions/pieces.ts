import type { Own } from "./shared";

/** A stretch of a text that looks the same throughout. */
export type Piece = { at: number; text: string; isCode: boolean; isShared: boolean };

/** Code between fences, with the fences; the last one need not be closed. */
const FENCED = /^[ \t]*```[^\n]*\n[\s\S]*?(?:^[ \t]*```[ \t]*(?:\n|$)|$(?![\s\S]))/gm;

/** A text in pieces: code and prose, what is its own and what others share. No character is left out. */
export function piecesOf(text: string, own: Own | null): Piece[] {
  const code = [...text.matchAll(FENCED)].map(({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
  const cuts = new Set([0, text.length, ...code.flatMap(({ from, to }) => [from, to])]);
  if (own) for (const at of [own.from, own.to]) cuts.add(at);
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(0, -1).map((at, index) => {
    const end = places[index + 1] ?? text.length;
    return {
      at,
      text: text.slice(at, end),
      isCode: code.some(({ from, to }) => from <= at && end <= to),
      isShared: own !== null && (end <= own.from || at >= own.to),
    };
  });
}

const USUAL = [30, 90, 365];

/** Days that a token can be good for, rising: the usual ones, and the longest where there is one. */
export const lifetimes = (usual: number, most: number | null): number[] =>
  [...new Set([...USUAL, usual, ...(most === null ? [] : [most])])]
    .filter((count) => most === null || count <= most)
    .sort((a, b) => a - b);

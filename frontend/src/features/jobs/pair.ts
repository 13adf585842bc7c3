/** Which two subsets an address names; for what it does not name, the newest other one. */
export function chosenPair(ids: number[], a: string | null, b: string | null): [number, number] {
  const known = (text: string | null) => ids.find((id) => String(id) === text);
  const first = known(a) ?? ids.find((id) => id !== known(b)) ?? 0;
  return [first, known(b) ?? ids.find((id) => id !== first) ?? first];
}

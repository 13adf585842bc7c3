type Place = { projectId: number; userId: number };

const keyOf = ({ projectId, userId }: Place): string => `karat:grid:${userId}:${projectId}`;

/** The images that were on this tab's page before it was loaded again. */
export const pageBefore = (place: Place): number[] =>
  JSON.parse(sessionStorage.getItem(keyOf(place)) ?? "[]") as number[];

export const rememberPage = (place: Place, ids: number[]): void =>
  sessionStorage.setItem(keyOf(place), JSON.stringify(ids));

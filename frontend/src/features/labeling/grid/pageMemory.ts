type Place = { projectId: number; userId: number };

const keyOf = ({ projectId, userId }: Place): string => `karat:grid:${userId}:${projectId}`;

/** The images that were on this tab's page before it was loaded again. */
export function pageBefore(place: Place): number[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(place)) ?? "[]") as number[];
  } catch {
    return [];
  }
}

export function rememberPage(place: Place, ids: number[]): void {
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify(ids));
  } catch {
    // Storage is full or refused: after a reload the images come in another order.
  }
}

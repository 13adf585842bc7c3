/** The row of the threshold that lies nearest to the one in use. */
export function nearest<Row extends { tau: number }>(rows: Row[], tau: number): Row | undefined {
  return rows.reduce<Row | undefined>(
    (best, row) => (best && Math.abs(best.tau - tau) <= Math.abs(row.tau - tau) ? best : row),
    undefined,
  );
}

let offset = 0;

/** Learn the server's clock from the `Date` header: an annotator's computer may be minutes off. */
export function noteServerTime(response: Response): void {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(date)) offset = date - Date.now();
}

/** Milliseconds since the epoch by the server's clock, to about a second. */
export const serverNow = (): number => Date.now() + offset;

/** Minutes that this browser's clock is ahead of UTC now. */
export const utcOffset = () => -new Date().getTimezoneOffset();

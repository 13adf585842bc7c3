/** Resolves after so many milliseconds, or as soon as it is woken. */
export function sleep(milliseconds: number, wake: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

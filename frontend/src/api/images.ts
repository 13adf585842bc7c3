/** Why the server shows no image, in its words; null if it would not say. */
export async function imageProblem(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: "manual" });
    if (response.ok || response.type === "opaqueredirect") return null;
    const problem: { detail?: string } = await response.json();
    return problem.detail ?? null;
  } catch {
    return null;
  }
}

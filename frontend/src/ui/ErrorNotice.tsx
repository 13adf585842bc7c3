import { Said } from "./Said";
import { Notice } from "./State";

/** Why something was refused, or could not be done; nothing where it was not. */
export function ErrorNotice({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <Notice tone="bad">
      <Said>{error}</Said>
    </Notice>
  );
}

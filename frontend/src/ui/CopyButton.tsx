import { useEffect, useState } from "react";
import { t } from "../strings";
import { Button } from "./Button";

type CopyButtonProps = {
  text: string;
  /** What it copies, where the page has several. */
  name?: string;
};

export function CopyButton({ text, name }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<{ said: "copied" | "notCopied" } | null>(null);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(null), 4_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (button: HTMLElement) => {
    setOutcome({ said: (await copyText(text, button)) ? "copied" : "notCopied" });
  };
  return (
    <Button
      size="small"
      aria-label={outcome ? undefined : name}
      onClick={({ currentTarget }) => void copy(currentTarget)}
    >
      {outcome ? t.common[outcome.said] : t.common.copy}
    </Button>
  );
}

/** The clipboard API exists on secure origins only; a server in the LAN may be plain HTTP. */
async function copyText(text: string, button: HTMLElement): Promise<boolean> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone) return true;
  const area = document.createElement("textarea");
  area.value = text;
  // Outside of an open dialog nothing can be selected.
  (button.closest("dialog") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  button.focus();
  return isCopied;
}

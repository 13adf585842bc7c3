import { useState } from "react";
import { t } from "../strings";
import { Button } from "./Button";

type CopyButtonProps = {
  text: string;
  /** What it copies, where the page has several. */
  name?: string;
};

export function CopyButton({ text, name }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button size="small" aria-label={copied ? undefined : name} onClick={copy}>
      {copied ? t.common.copied : t.common.copy}
    </Button>
  );
}

/** The clipboard API exists on secure origins only; a server in the LAN may be plain HTTP. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

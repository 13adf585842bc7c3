import { useEffect, useState } from "react";

/** Long enough to go on with a word, short enough to be no wait. */
const PAUSE_MS = 2_000;
const TYPED = "textarea, [contenteditable], input:not([type=file], [type=radio], [type=checkbox])";

/** Whether somebody types, or did a moment ago: what opens now would take the keys. */
export function useTyping(): boolean {
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    let timer = 0;
    const onInput = ({ target }: Event) => {
      if (!(target instanceof Element) || !target.matches(TYPED)) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => setTyping(false), PAUSE_MS);
      setTyping(true);
    };
    // Not while it is captured: drawn before what was typed is known, a field would lose it.
    document.addEventListener("input", onInput);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("input", onInput);
    };
  }, []);
  return isTyping;
}

import { useEffect, useRef } from "react";
import { useTitle } from "../../ui/useTitle";
import styles from "./DocumentationPage.module.css";

/** A page of the documentation that comes with the app, in English but for parts that say so. */
export function DocumentationPage({ html }: { html: string }) {
  const ref = useRef<HTMLElement>(null);
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? "";
  useTitle(title);
  useEffect(() => {
    // The page is loaded after the browser has looked for the anchor.
    const anchor = window.location.hash.slice(1);
    if (anchor) ref.current?.querySelector(`[id="${CSS.escape(anchor)}"]`)?.scrollIntoView();
  }, []);
  return (
    <article
      ref={ref}
      className={styles.page}
      lang="en"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made from our own documentation at build time.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

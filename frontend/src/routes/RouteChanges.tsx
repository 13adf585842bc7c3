import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/**
 * Tells assistive technology of another page, as a browser does where pages are loaded one by one:
 * the focus goes to the content, and the title is read. A control that takes the focus itself keeps it.
 */
export function RouteChanges() {
  const { pathname } = useLocation();
  const [title, setTitle] = useState("");
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const content = document.getElementById("content");
    if (!content?.contains(document.activeElement)) content?.focus();
  }, [pathname]);
  useEffect(() => {
    const element = document.querySelector("title");
    if (!element) return;
    // Titles follow once a page's data is there.
    const observer = new MutationObserver(() => setTitle(document.title));
    observer.observe(element, { childList: true });
    return () => observer.disconnect();
  }, []);
  return (
    <div className="visually-hidden" aria-live="polite">
      {title}
    </div>
  );
}

import { useEffect, useRef, useState } from "react";
import { useLocation, useMatches, useNavigationType } from "react-router";

/**
 * Begins another page as a browser does where pages are loaded one by one: at its top, with the focus
 * on the content, and with the title read. A control that takes the focus itself keeps it.
 */
export function RouteChanges() {
  const { pathname, hash } = useLocation();
  const route = useMatches().at(-1)?.id;
  const how = useNavigationType();
  const [title, setTitle] = useState("");
  const before = useRef({ pathname, route });
  useEffect(() => {
    const last = before.current;
    if (last.pathname === pathname) return;
    before.current = { pathname, route };
    const content = document.getElementById("content");
    if (!content?.contains(document.activeElement)) content?.focus();
    // Back and forward lead to where one was, which the browser knows. From round to round one goes
    // in place.
    const isInPlace = how === "REPLACE" && last.route === route;
    if (how !== "POP" && !isInPlace && !hash) window.scrollTo(0, 0);
  }, [pathname, hash, route, how]);
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

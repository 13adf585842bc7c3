import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { listenToProject } from "../../api/events";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { IconButton } from "../../ui/IconButton";
import { newsOf } from "./news";
import styles from "./ProjectNews.module.css";

/** How long a notice stays that nobody closes. */
const SHOWN_MS = 30_000;
/** How many notices are kept that come soon after each other. */
const AT_ONCE = 3;

/** Says what has changed of the project while somebody labels; it lies over the page's header, not the image. */
export function ProjectNews({ project }: { project: Project }) {
  const [news, setNews] = useState<string[]>([]);
  const guideIsOpen = useSearchParams()[0].has("guide");
  const guide = useRef(guideIsOpen);
  guide.current = guideIsOpen;
  const before = useRef(project);

  useEffect(() => {
    const found = newsOf(before.current, project);
    before.current = project;
    if (found.length > 0) setNews((now) => [...now, ...found].slice(-AT_ONCE));
  }, [project]);
  useEffect(
    () =>
      listenToProject(project.id, (kind) => {
        // Whoever has it open sees it change, or has changed it.
        if (kind !== "guide" || guide.current) return;
        setNews((now) => [...now.filter((one) => one !== t.label.news.guide), t.label.news.guide]);
      }),
    [project.id],
  );
  useEffect(() => {
    if (news.length === 0) return;
    const timer = setTimeout(() => setNews([]), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [news]);

  return (
    <div role="status" className={styles.place}>
      {news.length > 0 && (
        <div className={styles.news} title={news.join(" ")}>
          <p>{news.join(" ")}</p>
          <IconButton
            name={t.label.news.dismiss}
            path="M4 4l8 8M12 4l-8 8"
            onClick={() => setNews([])}
          />
        </div>
      )}
    </div>
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { LISTS_MS, useListEvents } from "../api/events";
import { homeQuery } from "../api/home";
import { projectsQuery } from "../api/projects";
import { useUnsent } from "../features/labeling/SenderProvider";
import { ProjectList } from "../features/projects/ProjectList";
import { t } from "../strings";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./ProjectShell.module.css";
import { canManage, useUser } from "./useUser";

const DropToCheck = lazy(() => import("../features/setup/check/DropToCheck"));
const MyWork = lazy(() => import("../features/home/MyWork"));

/** Everybody's home: their projects, what waits for them, and how they do. */
export function ProjectsRoute() {
  useTitle(t.projects.title);
  const manages = canManage(useUser());
  const home = useQuery({ ...homeQuery, refetchInterval: LISTS_MS });
  useListEvents();
  useFreshWhenSent();
  // Whoever runs projects and labels in none has no pace to look at.
  const labels = home.data?.pace.days.some((day) => day.verdicts > 0);
  const isShown = home.data && (labels || (!manages && home.data.projects.length > 0));
  return (
    <div className={styles.page}>
      <ProjectList canCreate={manages} work={home.data?.projects} />
      {manages && (
        <Suspense fallback={<Skeleton height="16rem" />}>
          <DropToCheck />
        </Suspense>
      )}
      {isShown && (
        <Suspense
          fallback={
            <Loading>
              <Skeleton height="14rem" />
            </Loading>
          }
        >
          <MyWork home={home.data} />
        </Suspense>
      )}
    </div>
  );
}

/** Answers may still be on their way when one comes home from labeling: count again with them. */
function useFreshWhenSent() {
  const queries = useQueryClient();
  const unsent = useUnsent().pending.length;
  const before = useRef(unsent);
  useEffect(() => {
    if (unsent === 0 && before.current > 0) {
      void queries.invalidateQueries({ queryKey: homeQuery.queryKey });
      void queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
    }
    before.current = unsent;
  }, [unsent, queries]);
}

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { homeQuery } from "../api/home";
import { ProjectList } from "../features/projects/ProjectList";
import { t } from "../strings";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./ProjectShell.module.css";
import { canManage, useUser } from "./useUser";

const MyWork = lazy(() => import("../features/home/MyWork"));

/** Everybody's home: their projects, what waits for them, and how they do. */
export function ProjectsRoute() {
  useTitle(t.projects.title);
  const manages = canManage(useUser());
  const home = useQuery({ ...homeQuery, refetchInterval: 30_000 });
  // Whoever runs projects and labels in none has no pace to look at.
  const labels = home.data?.pace.days.some((day) => day.verdicts > 0);
  const isShown = home.data && (labels || (!manages && home.data.projects.length > 0));
  return (
    <div className={styles.page}>
      <ProjectList canCreate={manages} work={home.data?.projects} />
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

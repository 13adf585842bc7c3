import { Navigate } from "react-router";
import { GridScreen } from "../features/labeling/grid/GridScreen";
import { pathOf } from "../features/labeling/modes";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";

export function Component() {
  return (
    <DeskRoute title={(project) => `${t.label.title}: ${project.name}`}>
      {(project, user, manages) =>
        project.modes.includes("grid") ? (
          <GridScreen
            key={project.id}
            project={project}
            user={user}
            projectLink={manages ? `/projects/${project.id}` : null}
          />
        ) : (
          <Navigate to={pathOf(project, "single")} replace />
        )
      }
    </DeskRoute>
  );
}

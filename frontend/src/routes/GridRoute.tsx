import { Navigate } from "react-router";
import { GridScreen } from "../features/labeling/grid/GridScreen";
import { pathOf } from "../features/labeling/modes";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";
import { Opened } from "./Opened";

export function Component() {
  return (
    <DeskRoute title={(project) => `${t.label.title}: ${project.name}`}>
      {(project, user, manages) => (
        <Opened
          key={project.id}
          mode={project.modes.includes("grid") ? "grid" : "single"}
          here="grid"
          otherwise={(mode) => <Navigate to={pathOf(project, mode)} replace />}
        >
          <GridScreen
            project={project}
            user={user}
            projectLink={manages ? `/projects/${project.id}` : null}
          />
        </Opened>
      )}
    </DeskRoute>
  );
}

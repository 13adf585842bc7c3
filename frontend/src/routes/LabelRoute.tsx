import { Navigate } from "react-router";
import { LabelScreen } from "../features/labeling/LabelScreen";
import { chosenMode, pathOf } from "../features/labeling/modes";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";

export function Component() {
  return (
    <DeskRoute title={(project) => `${t.label.title}: ${project.name}`}>
      {(project, user, manages) =>
        chosenMode(project, user) === "grid" ? (
          <Navigate to={pathOf(project, "grid")} replace />
        ) : (
          <LabelScreen
            key={project.id}
            project={project}
            user={user}
            projectLink={manages ? `/projects/${project.id}` : null}
          />
        )
      }
    </DeskRoute>
  );
}

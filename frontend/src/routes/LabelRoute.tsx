import { Navigate } from "react-router";
import { LabelScreen } from "../features/labeling/LabelScreen";
import { chosenMode, pathOf } from "../features/labeling/modes";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";
import { Opened } from "./Opened";

export function Component() {
  return (
    <DeskRoute title={(project) => `${t.label.title}: ${project.name}`}>
      {(project, user, manages) => (
        <Opened
          key={project.id}
          mode={chosenMode(project, user)}
          here="single"
          otherwise={(mode) => <Navigate to={pathOf(project, mode)} replace />}
        >
          <LabelScreen
            project={project}
            user={user}
            projectLink={manages ? `/projects/${project.id}` : null}
          />
        </Opened>
      )}
    </DeskRoute>
  );
}

import { LabelScreen } from "../features/labeling/LabelScreen";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";

export function Component() {
  return (
    <DeskRoute title={(project) => `${t.label.title}: ${project.name}`}>
      {(project, user, manages) => (
        <LabelScreen
          key={project.id}
          project={project}
          user={user}
          projectLink={manages ? `/projects/${project.id}` : null}
        />
      )}
    </DeskRoute>
  );
}

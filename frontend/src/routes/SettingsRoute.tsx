import { Navigate } from "react-router";
import { FirstSteps } from "../features/overview/FirstSteps";
import { SetupScreen } from "../features/setup/SetupScreen";
import { WebhooksCard } from "../features/webhooks/WebhooksCard";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

export const handle: PageHandle = { title: () => t.setup.tab };

export function Component() {
  const user = useUser();
  const project = useProject().data;
  if (!project?.settings) return null;
  if (!project.permissions.includes("manage")) {
    return <Navigate to={`/projects/${project.id}`} replace />;
  }
  return (
    <SetupScreen
      key={project.id}
      project={{ ...project, settings: project.settings }}
      user={user}
      lead={project.state === "draft" && <FirstSteps project={project} />}
    >
      <WebhooksCard place={project.id} />
    </SetupScreen>
  );
}

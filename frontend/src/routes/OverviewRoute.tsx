import { GuaranteeCards } from "../features/guarantee/GuaranteeCards";
import { OverviewScreen } from "../features/overview/OverviewScreen";
import { useProject } from "./useProject";

export function Component() {
  const project = useProject().data;
  if (!project) return null;
  return <OverviewScreen project={project} guarantee={<GuaranteeCards project={project} />} />;
}

import { PoolScreen } from "../features/pool/PoolScreen";
import { useProject } from "./useProject";

export function Component() {
  const project = useProject().data;
  return project ? <PoolScreen key={project.id} project={project} /> : null;
}

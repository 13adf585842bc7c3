import { PoolScreen } from "../features/pool/PoolScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.pool.tab };

export function Component() {
  const project = useProject().data;
  return project ? <PoolScreen key={project.id} project={project} /> : null;
}

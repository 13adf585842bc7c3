import { CheckScreen } from "../features/setup/check/CheckScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.check.title };

export function Component() {
  const project = useProject().data;
  return project ? <CheckScreen key={project.id} project={project} /> : null;
}

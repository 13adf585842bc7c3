import { useSearchParams } from "react-router";
import { DuplicatesScreen } from "../features/pool/DuplicatesScreen";
import { PoolScreen } from "../features/pool/PoolScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.pool.tab };

export function Component() {
  const project = useProject().data;
  const [query] = useSearchParams();
  if (!project) return null;
  if (query.get("view") === "duplicates") {
    return <DuplicatesScreen key={project.id} project={project} />;
  }
  return <PoolScreen key={project.id} project={project} />;
}

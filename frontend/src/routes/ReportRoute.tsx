import { useParams } from "react-router";
import { ReportScreen } from "../features/guarantee/ReportScreen";
import { t } from "../strings";
import { NotFoundPage } from "./ErrorPages";
import type { PageHandle } from "./pageTitle";
import { idOf, useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.guarantee.report.title };

export function Component() {
  const project = useProject().data;
  const id = idOf(useParams().certificateId);
  if (id === null) return <NotFoundPage />;
  return project ? <ReportScreen project={project} id={id} missing={<NotFoundPage />} /> : null;
}

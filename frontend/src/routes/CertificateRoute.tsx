import { useParams } from "react-router";
import { CertificateScreen } from "../features/guarantee/CertificateScreen";
import { t } from "../strings";
import { NotFoundPage } from "./ErrorPages";
import type { PageHandle } from "./pageTitle";
import { idOf, useProject } from "./useProject";

export const handle: PageHandle = {
  title: ({ certificateId = "" }) => t.guarantee.page.title(Number(certificateId)),
};

export function Component() {
  const project = useProject().data;
  const id = idOf(useParams().certificateId);
  if (id === null) return <NotFoundPage />;
  return project ? (
    <CertificateScreen project={project} id={id} missing={<NotFoundPage />} />
  ) : null;
}

import { useQuery } from "@tanstack/react-query";
import { type CertificateDetail, reportQuery } from "../../api/guarantee";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatCount } from "../../ui/format";
import { Loading, Skeleton } from "../../ui/State";
import { Table } from "../../ui/Table";
import { Group } from "./Group";

type ApplyDialogProps = {
  project: Project;
  certificate: CertificateDetail;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
};

/** What would be labeled, class by class, before it is. */
export function ApplyDialog(props: ApplyDialogProps) {
  const { project, certificate, busy, error, onConfirm, onClose } = props;
  const { applying: text } = t.guarantee;
  const found = useQuery(reportQuery(project.id, certificate.id));
  const labeled = found.data?.per_class.filter(({ model }) => model > 0) ?? [];
  return (
    <Dialog title={text.title(certificate.auto)} onClose={onClose}>
      <p>{text.text}</p>
      <Table label={text.images}>
        <thead>
          <tr>
            <th scope="col">{text.class}</th>
            <th scope="col" data-number>
              {text.images}
            </th>
          </tr>
        </thead>
        <tbody>
          {labeled.map(({ class_id, model }) => (
            <tr key={class_id ?? "none"}>
              <th scope="row">
                <Group classId={class_id} classes={project.classes} />
              </th>
              <td data-number>{formatCount(model)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {found.isPending && (
        <Loading>
          <Skeleton height="6rem" />
        </Loading>
      )}
      {certificate.people > 0 && <p>{text.left(certificate.people)}</p>}
      <ErrorNotice error={error} />
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind="primary" busy={busy} onClick={onConfirm}>
          {text.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

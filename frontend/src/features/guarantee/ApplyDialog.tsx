import type { CertificateDetail } from "../../api/guarantee";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { formatCount } from "../../ui/format";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import { Group } from "./Group";
import { labelsOf } from "./words";

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
          {labelsOf(certificate.lots_of).map(({ classId, images }) => (
            <tr key={classId ?? "none"}>
              <th scope="row">
                <Group classId={classId} classes={project.classes} />
              </th>
              <td data-number>{formatCount(images)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {certificate.people > 0 && <p>{text.left(certificate.people)}</p>}
      {error && <Notice tone="bad">{t.common.said(error.message)}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind="primary" busy={busy} onClick={onConfirm}>
          {text.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

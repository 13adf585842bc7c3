import { t } from "../strings";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { Notice } from "./State";

type ConfirmDialogProps = {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, action, danger, busy, error, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {error && <Notice tone="bad">{error.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

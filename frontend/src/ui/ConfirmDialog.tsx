import { t } from "../strings";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";

type ConfirmDialogProps = {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  /** What happens when it is confirmed. */
  does: { isPending: boolean; error: Error | null; reset: () => void };
  onConfirm: () => void;
  onClose: () => void;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, action, danger, does, onConfirm, onClose } = props;
  const close = () => {
    // Asked again, it begins anew; what is on its way still ends.
    if (!does.isPending) does.reset();
    onClose();
  };
  return (
    <Dialog title={title} onClose={close}>
      <p>{text}</p>
      <ErrorNotice error={does.error} />
      <DialogActions>
        <Button onClick={close}>{t.common.cancel}</Button>
        <Button kind={danger ? "danger" : "primary"} busy={does.isPending} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

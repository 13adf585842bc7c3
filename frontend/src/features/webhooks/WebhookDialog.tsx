import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import type { EventKind, Webhook, WebhookPlace, WebhookSecret } from "../../api/types";
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from "../../api/webhooks";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { CheckField, TextField } from "../../ui/Field";
import { EVENTS } from "./events";
import styles from "./Webhooks.module.css";

const { webhooks: text } = t;

type WebhookDialogProps = {
  place: WebhookPlace;
  /** The one to change; null for a new one. */
  hook: Webhook | null;
  onClose: () => void;
  onDone: (secret: WebhookSecret | null) => void;
};

/** Makes a webhook, or changes one; a new secret and the end of it are asked for once more. */
export function WebhookDialog({ place, hook, onClose, onDone }: WebhookDialogProps) {
  const [asked, setAsked] = useState<"rotate" | "delete" | null>(null);
  const rotate = useMutation({
    mutationFn: (id: number) => rotateSecret(id),
    onSuccess: onDone,
  });
  const remove = useMutation({
    mutationFn: (id: number) => deleteWebhook(id),
    onSuccess: () => onDone(null),
  });
  if (hook && asked === "rotate") {
    return (
      <ConfirmDialog
        title={text.rotateTitle}
        text={text.rotateText}
        action={text.rotate}
        does={rotate}
        onConfirm={() => rotate.mutate(hook.id)}
        onClose={() => setAsked(null)}
      />
    );
  }
  if (hook && asked === "delete") {
    return (
      <ConfirmDialog
        title={text.deleteTitle}
        text={text.deleteText}
        action={t.common.delete}
        danger
        does={remove}
        onConfirm={() => remove.mutate(hook.id)}
        onClose={() => setAsked(null)}
      />
    );
  }
  return (
    <Dialog title={hook ? text.changeTitle : text.add} wide onClose={onClose}>
      <WebhookForm place={place} hook={hook} onClose={onClose} onDone={onDone} onAsk={setAsked} />
    </Dialog>
  );
}

type WebhookFormProps = WebhookDialogProps & { onAsk: (what: "rotate" | "delete") => void };

function WebhookForm({ place, hook, onClose, onDone, onAsk }: WebhookFormProps) {
  const [url, setUrl] = useState(hook?.url ?? "");
  const [events, setEvents] = useState<EventKind[]>(hook?.events ?? EVENTS);
  const save = useMutation({
    mutationFn: async () => {
      if (!hook) return createWebhook(place, { url, events });
      await updateWebhook(hook.id, { url, events });
      return null;
    },
    onSuccess: onDone,
  });
  const turn = (kind: EventKind, wanted: boolean) =>
    setEvents(EVENTS.filter((one) => (one === kind ? wanted : events.includes(one))));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const wrongUrl = save.error instanceof ApiError && save.error.field === "url";
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={text.url}
        hint={text.urlHint}
        type="url"
        inputMode="url"
        placeholder={text.urlExample}
        required
        maxLength={2000}
        value={url}
        error={wrongUrl ? save.error : null}
        onChange={(event) => setUrl(event.target.value)}
      />
      <fieldset className={styles.events}>
        <legend>{text.eventsTitle}</legend>
        <div className={styles.choose}>
          <Button size="small" kind="quiet" onClick={() => setEvents(EVENTS)}>
            {text.all}
          </Button>
          <Button size="small" kind="quiet" onClick={() => setEvents([])}>
            {text.none}
          </Button>
        </div>
        {EVENTS.map((kind) => (
          <CheckField
            key={kind}
            label={kind}
            hint={text.events[kind]}
            checked={events.includes(kind)}
            onChange={(event) => turn(kind, event.target.checked)}
          />
        ))}
      </fieldset>
      {!wrongUrl && <ErrorNotice error={save.error} />}
      <DialogActions>
        {hook && (
          <>
            <Button kind="quiet" onClick={() => onAsk("delete")}>
              {t.common.delete}
            </Button>
            <Button kind="quiet" onClick={() => onAsk("rotate")}>
              {text.rotate}
            </Button>
          </>
        )}
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button type="submit" kind="primary" disabled={events.length === 0} busy={save.isPending}>
          {hook ? t.common.save : text.create}
        </Button>
      </DialogActions>
    </form>
  );
}

import { useMutation } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import type { Webhook } from "../../api/types";
import { testWebhook, updateWebhook } from "../../api/webhooks";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatDateTime } from "../../ui/format";
import { Notice } from "../../ui/State";
import { Deliveries } from "./Deliveries";
import { EVENTS } from "./events";
import styles from "./Webhooks.module.css";

const { webhooks: text } = t;

type WebhookItemProps = { hook: Webhook; onEdit: () => void; onChanged: () => void };

/** One webhook: how it does, and what can be done with it. Its deliveries open below. */
export function WebhookItem({ hook, onEdit, onChanged }: WebhookItemProps) {
  const [search, setSearch] = useSearchParams();
  const open = search.get("webhook") === String(hook.id);
  const show = (wanted: boolean) =>
    setSearch(wanted ? { webhook: String(hook.id) } : {}, {
      replace: true,
    });
  const test = useMutation({
    mutationFn: () => testWebhook(hook.id),
    onSettled: onChanged,
  });
  const turn = useMutation({
    mutationFn: () => updateWebhook(hook.id, { active: !hook.active }),
    onSettled: onChanged,
  });
  const error = test.error ?? turn.error;
  return (
    <li>
      <div className={styles.head}>
        <strong className={styles.url}>{hook.url}</strong>
        <State hook={hook} />
      </div>
      <p className={styles.quiet}>
        {hook.events.length === EVENTS.length ? text.allEvents : hook.events.join(", ")}
      </p>
      <p className={styles.quiet}>
        {[
          hook.latest?.sent_at && text.lastSent(formatDateTime(hook.latest.sent_at)),
          hook.waiting > 0 && text.waiting(hook.waiting),
          hook.old_secret_until && text.oldSecret(formatDateTime(hook.old_secret_until)),
        ]
          .filter(Boolean)
          .join(" · ") || text.nothingYet}
      </p>
      {hook.off_reason && <Notice tone="bad">{text.offReasons[hook.off_reason]}</Notice>}
      <ErrorNotice error={error} />
      <div className={styles.actions}>
        <Button
          size="small"
          aria-label={text.testOf(hook.url)}
          disabled={!hook.active}
          busy={test.isPending}
          onClick={() => test.mutate(undefined, { onSuccess: () => show(true) })}
        >
          {text.test}
        </Button>
        <Button
          size="small"
          aria-label={text.deliveriesOf(hook.url)}
          aria-expanded={open}
          onClick={() => show(!open)}
        >
          {text.deliveries}
        </Button>
        <Button
          size="small"
          kind="quiet"
          aria-label={hook.active ? text.turnOffThis(hook.url) : text.turnOnThis(hook.url)}
          busy={turn.isPending}
          onClick={() => turn.mutate()}
        >
          {hook.active ? text.turnOff : text.turnOn}
        </Button>
        <Button size="small" kind="quiet" aria-label={text.changeThis(hook.url)} onClick={onEdit}>
          {text.change}
        </Button>
      </div>
      {open && <Deliveries hook={hook} onChanged={onChanged} />}
    </li>
  );
}

function State({ hook }: { hook: Webhook }) {
  if (!hook.active) return <Chip tone={hook.off_reason ? "bad" : "plain"}>{text.states.off}</Chip>;
  if (hook.failing_since) {
    return (
      <Chip tone="bad" dot>
        {text.failingSince(formatDateTime(hook.failing_since))}
      </Chip>
    );
  }
  return (
    <Chip tone="good" dot>
      {text.states.on}
    </Chip>
  );
}

import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Delivery, Webhook } from "../../api/types";
import { deliveriesQuery, isUnderWay, redeliver } from "../../api/webhooks";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatDateTime, formatTime } from "../../ui/format";
import { More } from "../../ui/More";
import { Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./Webhooks.module.css";

const { webhooks: text } = t;

/** What a webhook was told and is to be told, the latest first. */
export function Deliveries({ hook, onChanged }: { hook: Webhook; onChanged: () => void }) {
  const list = useInfiniteQuery(deliveriesQuery(hook.id));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.error && !list.data) {
    return <Failure error={list.error} onRetry={() => list.refetch()} />;
  }
  if (!list.data) {
    return (
      <Loading>
        <Skeleton height="6rem" />
      </Loading>
    );
  }
  if (items.length === 0) return <p className={styles.quiet}>{text.noDeliveries}</p>;
  return (
    <section className={styles.deliveries} aria-label={text.deliveriesOf(hook.url)}>
      {items.map((item) => (
        <Told key={item.id} hook={hook} delivery={item} onChanged={onChanged} />
      ))}
      <More list={list} size="small">
        {t.admin.more}
      </More>
    </section>
  );
}

type ToldProps = { hook: Webhook; delivery: Delivery; onChanged: () => void };

function Told({ hook, delivery, onChanged }: ToldProps) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => redeliver(delivery, hook.id),
    onSettled: () => {
      client.invalidateQueries({ queryKey: deliveriesQuery(hook.id).queryKey });
      onChanged();
    },
  });
  return (
    <details className={styles.delivery}>
      <summary>
        <State delivery={delivery} />
        <span className={styles.kind}>{delivery.event}</span>
        <time className={styles.quiet} dateTime={delivery.sent_at ?? delivery.created_at}>
          {formatDateTime(delivery.sent_at ?? delivery.created_at)}
        </time>
      </summary>
      <p>{cameOf(delivery)}</p>
      {delivery.detail && <p className={`${styles.mono} ${styles.quiet}`}>{delivery.detail}</p>}
      {delivery.response && <Content title={text.response} content={delivery.response} />}
      <Content title={text.payload} content={JSON.stringify(delivery.payload, null, 2)} />
      <p className={`${styles.mono} ${styles.quiet}`}>{delivery.message_id}</p>
      <ErrorNotice error={again.error} />
      <Button
        size="small"
        disabled={!hook.active}
        busy={again.isPending}
        onClick={() => again.mutate()}
      >
        {text.again}
      </Button>
    </details>
  );
}

function Content({ title, content }: { title: string; content: string }) {
  return (
    <figure className={styles.content}>
      <figcaption className={styles.quiet}>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>{content}</pre>
    </figure>
  );
}

function State({ delivery }: { delivery: Delivery }) {
  if (delivery.state === "delivered") {
    return <Chip tone="good">{text.delivery.delivered}</Chip>;
  }
  if (delivery.state === "failed") return <Chip tone="bad">{text.delivery.failed}</Chip>;
  return <Chip tone="gold">{text.delivery[isUnderWay(delivery) ? "waiting" : "again"]}</Chip>;
}

/** What the last attempt came to, and when the next is made. */
function cameOf(delivery: Delivery): string {
  const { attempts, status, fault, seconds, due_at } = delivery;
  if (attempts === 0) return text.notSent;
  const parts = [
    fault ? text.faults[fault] : "",
    status === null || seconds === null ? "" : text.answered(status, seconds.toFixed(2)),
    text.attempts(attempts),
    due_at && fault ? text.nextAt(formatTime(due_at)) : "",
  ];
  return parts.filter(Boolean).join(" ");
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook, WebhookPlace, WebhookSecret } from "../../api/types";
import { webhooksQuery } from "../../api/webhooks";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { FoldedCard } from "../../ui/FoldedCard";
import { Items } from "../../ui/Items";
import { Secret } from "../../ui/Secret";
import { WebhookDialog } from "./WebhookDialog";
import { WebhookItem } from "./WebhookItem";
import styles from "./Webhooks.module.css";

const { webhooks: text } = t;

/** Addresses that are told what happens: in one project, or in all of them. */
export function WebhooksCard({ place }: { place: WebhookPlace }) {
  const hooks = useQuery(webhooksQuery(place));
  const client = useQueryClient();
  const [edited, setEdited] = useState<Webhook | "new" | null>(null);
  const [fresh, setFresh] = useState<WebhookSecret | null>(null);
  const changed = () => client.invalidateQueries({ queryKey: webhooksQuery(place).queryKey });
  const add = <Button onClick={() => setEdited("new")}>{text.add}</Button>;
  const content = (
    <>
      {fresh && (
        <Secret title={text.secretOnce} label={text.secret} value={fresh.secret}>
          <p className={styles.url}>{fresh.webhook.url}</p>
        </Secret>
      )}
      <Fetching of={hooks} height="5rem" />
      {hooks.data?.items.length === 0 && <p className={styles.quiet}>{text.empty}</p>}
      {hooks.data && hooks.data.items.length > 0 && (
        <Items label={text.title}>
          {hooks.data.items.map((hook) => (
            <WebhookItem
              key={hook.id}
              hook={hook}
              onEdit={() => setEdited(hook)}
              onChanged={changed}
            />
          ))}
        </Items>
      )}
      {edited && (
        <WebhookDialog
          place={place}
          hook={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
          onDone={(secret) => {
            if (secret) setFresh(secret);
            setEdited(null);
            changed();
          }}
        />
      )}
    </>
  );
  if (place === "all") {
    return (
      <Card title={text.title} hint={text.hintAll} id="webhooks" actions={add}>
        {content}
      </Card>
    );
  }
  return (
    <FoldedCard
      title={text.title}
      hint={text.hint}
      id="webhooks"
      brief={hooks.data && briefOf(hooks.data.items.length)}
    >
      <div>{add}</div>
      {content}
    </FoldedCard>
  );
}

const briefOf = (count: number): string => (count > 0 ? text.count(count) : text.empty);

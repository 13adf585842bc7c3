import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { endOtherSessions, endSession, sessionsQuery } from "../../api/auth";
import type { LoginSession } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Fetching } from "../../ui/Fetching";
import { formatDateTime } from "../../ui/format";
import { Table } from "../../ui/Table";
import styles from "./AccountScreen.module.css";
import { browserOf } from "./agent";

const { signIn: text } = t;

/** The browsers that one is signed in with, and what ends them. */
export function SessionsCard() {
  const sessions = useQuery(sessionsQuery);
  const client = useQueryClient();
  const settled = {
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  };
  const end = useMutation({ mutationFn: endSession, ...settled });
  const endOthers = useMutation({ mutationFn: endOtherSessions, ...settled });
  const items = sessions.data?.items ?? [];
  const error = end.error ?? endOthers.error;
  return (
    <Card
      title={text.sessions}
      hint={text.sessionsHint}
      actions={
        items.some((one) => !one.current) && (
          <Button busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {text.endOthers}
          </Button>
        )
      }
    >
      <Fetching of={sessions} height="6rem" />
      <ErrorNotice error={error} />
      {items.length > 0 && (
        <Table label={text.sessions}>
          <thead>
            <tr>
              <th scope="col">{text.browser}</th>
              <th scope="col">{text.lastSeen}</th>
              <th scope="col">
                <span className="visually-hidden">{text.end}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((one) => (
              <Row
                key={one.id}
                session={one}
                busy={end.isPending && end.variables === one.id}
                onEnd={() => end.mutate(one.id)}
              />
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}

type RowProps = { session: LoginSession; busy: boolean; onEnd: () => void };

function Row({ session, busy, onEnd }: RowProps) {
  const browser = browserOf(session.agent);
  return (
    <tr>
      <td>
        <strong title={session.agent ?? undefined}>{browser}</strong>
        <div className={styles.quiet}>{session.address ?? "–"}</div>
      </td>
      <td>
        <span className={styles.nowrap}>{formatDateTime(session.last_seen_at)}</span>
        <div className={styles.small}>
          {text.since[session.method](formatDateTime(session.created_at))}
        </div>
      </td>
      <td data-number>
        {session.current ? (
          <Chip tone="good">{text.thisBrowser}</Chip>
        ) : (
          <Button
            size="small"
            kind="quiet"
            aria-label={text.endOf(browser)}
            busy={busy}
            onClick={onEnd}
          >
            {text.end}
          </Button>
        )}
      </td>
    </tr>
  );
}

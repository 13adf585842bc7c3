import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { AUDIT_LINES, auditQuery, auditUrl } from "../../api/admin";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { More } from "../../ui/More";
import { Empty } from "../../ui/State";
import styles from "./AdminScreen.module.css";
import { AuditFilters } from "./AuditFilters";
import { AuditTable } from "./AuditTable";
import { filterOf, searchOf, shownIn } from "./filter";

const { audit: text } = t.admin;

/** Who did what; the filters stand in the address. */
export function AuditScreen() {
  const [search, setSearch] = useSearchParams();
  const shown = shownIn(search);
  const filter = filterOf(shown);
  const entries = useInfiniteQuery(auditQuery(filter));
  const items = entries.data?.pages.flatMap((page) => page.items) ?? [];
  const clear = () => setSearch({}, { replace: true });
  return (
    <>
      <header className={styles.header}>
        <p className={styles.quiet}>{text.hint}</p>
        <span className={styles.links}>
          <a href={auditUrl(filter)} download>
            {text.export}
          </a>
          <a href={AUDIT_LINES} download>
            {text.lines}
          </a>
        </span>
      </header>
      <Card>
        <AuditFilters
          shown={shown}
          onChange={(changed) => setSearch(searchOf(changed), { replace: true })}
          onClear={search.size > 0 ? clear : null}
        />
        <Fetching of={entries} height="24rem" />
        {entries.data && items.length === 0 && (
          <Empty
            title={text.empty}
            actions={search.size > 0 && <Button onClick={clear}>{text.clear}</Button>}
          >
            {search.size > 0 && text.emptyText}
          </Empty>
        )}
        {items.length > 0 && <AuditTable entries={items} />}
        <More list={entries}>{t.admin.more}</More>
      </Card>
    </>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Judge, judgesQuery } from "../../api/judges";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { Empty } from "../../ui/State";
import { JudgeDialog } from "./JudgeDialog";
import styles from "./Judges.module.css";
import { JudgesTable } from "./JudgesTable";

const { judges: text } = t;

/** Servers that put instructions in order: add, change, try and remove them. */
export function JudgesScreen() {
  const found = useQuery(judgesQuery);
  const [edited, setEdited] = useState<Judge | "new" | null>(null);
  const items = found.data?.items ?? [];
  return (
    <>
      <header className={styles.header}>
        <p className={styles.quiet}>{text.hint}</p>
        <Button kind="primary" onClick={() => setEdited("new")}>
          {text.add}
        </Button>
      </header>
      <Card>
        <Fetching of={found} height="10rem" />
        {found.data && items.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
        {items.length > 0 && <JudgesTable judges={items} onEdit={setEdited} />}
      </Card>
      {edited && (
        <JudgeDialog judge={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

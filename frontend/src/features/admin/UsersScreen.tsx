import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { activityQuery } from "../../api/admin";
import type { User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { AddUserDialog } from "./AddUserDialog";
import styles from "./AdminScreen.module.css";
import { UserTable } from "./UserTable";

export function UsersScreen({ me }: { me: User }) {
  const users = useQuery(activityQuery);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <header className={styles.header}>
        <p className={styles.quiet}>{t.people.usersHint}</p>
        <Button kind="primary" onClick={() => setAdding(true)}>
          {t.people.addUser}
        </Button>
      </header>
      <Card>
        <Fetching of={users} height="10rem" />
        {users.data && <UserTable users={users.data.items} me={me} />}
      </Card>
      {adding && <AddUserDialog onClose={() => setAdding(false)} />}
    </>
  );
}

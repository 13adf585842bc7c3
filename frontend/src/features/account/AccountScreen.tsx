import type { User } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import styles from "./AccountScreen.module.css";
import { PasswordForm } from "./PasswordForm";
import { TokensCard } from "./TokensCard";

export function AccountScreen({ me }: { me: User }) {
  return (
    <div className={styles.page}>
      <h1>{t.people.accountTitle}</h1>
      <Card title={t.people.profile}>
        <dl className={styles.profile}>
          <dt>{t.people.name}</dt>
          <dd>{me.name}</dd>
          <dt>{t.people.email}</dt>
          <dd>{me.email}</dd>
          <dt>{t.people.role}</dt>
          <dd>{t.people.roles[me.role]}</dd>
        </dl>
      </Card>
      <Card title={t.people.passwordTitle} hint={t.people.passwordHint}>
        <PasswordForm oldLabel={t.people.oldPassword} email={me.email} />
      </Card>
      <TokensCard />
    </div>
  );
}

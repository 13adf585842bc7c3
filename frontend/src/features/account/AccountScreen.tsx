import type { Me } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import styles from "./AccountScreen.module.css";
import { PasswordForm } from "./PasswordForm";
import { SecondFactorCard } from "./SecondFactorCard";
import { SessionsCard } from "./SessionsCard";
import { TokensCard } from "./TokensCard";

export function AccountScreen({ me }: { me: Me }) {
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
        {me.method === "oidc" && <p className={styles.quiet}>{t.signIn.managed}</p>}
      </Card>
      {me.has_password && (
        <>
          <Card title={t.people.passwordTitle} hint={t.people.passwordHint}>
            <PasswordForm oldLabel={t.people.oldPassword} email={me.email} />
          </Card>
          <SecondFactorCard />
        </>
      )}
      <SessionsCard />
      <TokensCard />
    </div>
  );
}

import type { User } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { useTitle } from "../../ui/useTitle";
import styles from "./AccountScreen.module.css";
import { PasswordForm } from "./PasswordForm";

/** Stands in for every page while an admin's temporary password has to be replaced. */
export default function ChoosePassword({ user }: { user: User }) {
  useTitle(t.people.chooseTitle);
  return (
    <div className={styles.choose}>
      <h1>{t.people.chooseTitle}</h1>
      <p className={styles.quiet}>{t.people.chooseText}</p>
      <Card title={t.people.passwordTitle} hint={t.people.passwordHint}>
        <PasswordForm oldLabel={t.people.temporaryPassword} email={user.email} />
      </Card>
    </div>
  );
}

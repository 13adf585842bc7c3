import { NavLink, Outlet } from "react-router";
import { AuditScreen } from "../features/admin/AuditScreen";
import { StorageScreen } from "../features/admin/StorageScreen";
import { TokensScreen } from "../features/admin/TokensScreen";
import { UsersScreen } from "../features/admin/UsersScreen";
import { WeightsScreen } from "../features/admin/WeightsScreen";
import { WorkersScreen } from "../features/admin/WorkersScreen";
import { JudgesScreen } from "../features/judges/JudgesScreen";
import { WebhooksCard } from "../features/webhooks/WebhooksCard";
import { t } from "../strings";
import { ButtonLink } from "../ui/Button";
import { Empty } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./ProjectShell.module.css";
import { useUser } from "./useUser";

const TABS = Object.entries(t.admin.tabs);

/** The frame around the pages of admins; others are told that it is not for them. */
export function Shell() {
  const user = useUser();
  if (user.role !== "admin") {
    return (
      <Empty
        isPage
        title={t.admin.refused}
        actions={<ButtonLink to="/">{t.common.toProjects}</ButtonLink>}
      >
        {t.admin.refusedText}
      </Empty>
    );
  }
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>{t.admin.title}</h1>
        <nav className={styles.tabs} aria-label={t.admin.navigation}>
          {TABS.map(([path, name]) => (
            <NavLink key={path} to={`/admin/${path}`}>
              {name}
            </NavLink>
          ))}
        </nav>
      </header>
      <Outlet context={user} />
    </div>
  );
}

const titled = (tab: keyof typeof t.admin.tabs) => `${t.admin.tabs[tab]}, ${t.admin.title}`;

export function Users() {
  useTitle(titled("users"));
  return <UsersScreen me={useUser()} />;
}

export function Tokens() {
  useTitle(titled("tokens"));
  return <TokensScreen />;
}

export function Workers() {
  useTitle(titled("workers"));
  return <WorkersScreen />;
}

export function Webhooks() {
  useTitle(titled("webhooks"));
  return <WebhooksCard place="all" />;
}

export function Weights() {
  useTitle(titled("weights"));
  return <WeightsScreen />;
}

export function Judges() {
  useTitle(titled("judges"));
  return <JudgesScreen />;
}

export function Storage() {
  useTitle(titled("storage"));
  return <StorageScreen />;
}

export function Audit() {
  useTitle(titled("audit"));
  return <AuditScreen />;
}

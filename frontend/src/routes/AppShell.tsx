import { lazy, Suspense, useEffect } from "react";
import { Link, Navigate, NavLink, Outlet, useLocation, useMatch } from "react-router";
import type { Me } from "../api/types";
import { SignedOutDialog } from "../features/auth/SignedOutDialog";
import { SenderProvider, useSender } from "../features/labeling/SenderProvider";
import { UnsentBadge } from "../features/labeling/UnsentBadge";
import { useWordsOf } from "../media/MediumContext";
import { t } from "../strings";
import { Logo } from "../ui/Logo";
import { Failure } from "../ui/State";
import { AccountMenu } from "./AccountMenu";
import styles from "./AppShell.module.css";
import { DiskNotice } from "./DiskNotice";
import { RouteChanges } from "./RouteChanges";
import { useLeaving } from "./signedOutElsewhere";
import { idOf } from "./useProject";
import { useSignedIn } from "./useSignedIn";

const ChoosePassword = lazy(() => import("../features/account/ChoosePassword"));
const AddSecondFactor = lazy(() => import("../features/account/AddSecondFactor"));

/** What every page behind the login shares: who is signed in, the header, and the answers on their way. */
export function AppShell() {
  const { user, me } = useSignedIn();
  useLeaving();
  const location = useLocation();
  if (me.isPending) return null;
  if (me.error && !user) {
    return (
      <main className={styles.main}>
        <Failure error={me.error} onRetry={() => me.refetch()} />
      </main>
    );
  }
  if (!user) {
    const next = encodeURIComponent(location.pathname + location.search + location.hash);
    return <Navigate to={`/login?next=${next}`} replace />;
  }
  return (
    <SenderProvider user={user}>
      <Frame user={user} />
    </SenderProvider>
  );
}

function Frame({ user }: { user: Me }) {
  const sender = useSender();
  const isSettled = !user.must_change_password && !user.must_add_second_factor;
  useEffect(() => {
    if (isSettled) sender?.wake();
  }, [isSettled, sender]);
  const labels = useMatch("/projects/:projectId/label/*");
  const reviews = useMatch("/projects/:projectId/review/:jobId");
  const isDesk = labels !== null || reviews !== null;
  // Pages about one project say themselves of what it is; all others, `/projects/new` too, tell of images.
  const project = idOf(useMatch("/projects/:projectId/*")?.params.projectId);
  useWordsOf(project === null ? "image" : undefined);
  return (
    <>
      <a href="#content" className={styles.skip}>
        {t.common.skipToContent}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand} aria-label={t.common.product}>
          <Logo />
          <span>{t.common.product}</span>
        </Link>
        <nav className={styles.nav} aria-label={t.common.mainNavigation}>
          <NavLink to="/" end>
            {t.common.projects}
          </NavLink>
          {user.role === "admin" && <NavLink to="/admin">{t.common.admin}</NavLink>}
        </nav>
        <div className={styles.end}>
          <UnsentBadge />
          <AccountMenu user={user} />
        </div>
      </header>
      <main id="content" className={isDesk ? styles.desk : styles.main} tabIndex={-1}>
        {!isDesk && <DiskNotice user={user} />}
        {isSettled ? <Outlet context={user} /> : <First user={user} />}
      </main>
      <RouteChanges />
      <SignedOutDialog user={user} onSignedIn={() => sender?.wake()} />
    </>
  );
}

/** What somebody has to do before anything else. */
function First({ user }: { user: Me }) {
  return (
    <Suspense fallback={null}>
      {user.must_change_password ? <ChoosePassword user={user} /> : <AddSecondFactor />}
    </Suspense>
  );
}

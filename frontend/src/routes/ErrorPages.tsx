import { useRouteError } from "react-router";
import { t } from "../strings";
import { Button, ButtonLink } from "../ui/Button";
import { Empty } from "../ui/State";
import { useTitle } from "../ui/useTitle";

export function NotFoundPage() {
  useTitle(t.common.notFoundTitle);
  return (
    <Empty
      isPage
      title={t.common.notFound}
      actions={<ButtonLink to="/">{t.common.toProjects}</ButtonLink>}
    />
  );
}

/** Shown when rendering fails, or when a new release has replaced the files this page was built from. */
export function CrashPage() {
  const error = useRouteError();
  return (
    <main>
      <Empty
        isPage
        title={t.common.crashed}
        actions={
          <Button kind="primary" onClick={() => window.location.reload()}>
            {t.common.reload}
          </Button>
        }
      >
        {error instanceof Error ? error.message : null}
      </Empty>
    </main>
  );
}

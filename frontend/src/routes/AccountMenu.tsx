import { useMutation } from "@tanstack/react-query";
import { Link } from "react-router";
import { logout } from "../api/auth";
import type { User } from "../api/types";
import { t } from "../strings";
import { ErrorNotice } from "../ui/ErrorNotice";
import { leaveFor } from "../ui/leaving";
import { Menu } from "../ui/Menu";
import { LanguageChoice, ShortcutChoice, ThemeChoice } from "../ui/Preferences";
import styles from "./AccountMenu.module.css";
import { leaveElsewhere } from "./signedOutElsewhere";

export function AccountMenu({ user }: { user: User }) {
  const signOut = useMutation({
    mutationFn: logout,
    onSuccess: ({ end_session_url: elsewhere }) => {
      leaveElsewhere();
      leaveFor(elsewhere ?? "/login");
    },
  });
  return (
    <Menu
      kind="quiet"
      align="end"
      name={t.common.accountMenu(user.name)}
      label={<span className={styles.avatar} data-initials={initials(user.name || user.email)} />}
    >
      <Link to="/account">{t.common.account}</Link>
      <Link to="/words">{t.glossary.title}</Link>
      <hr />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only keeps a choice in here from closing the menu. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a choice in here from closing the menu. */}
      <div className={styles.preferences} onClick={(event) => event.stopPropagation()}>
        <ThemeChoice />
        <LanguageChoice />
        <ShortcutChoice />
      </div>
      <hr />
      {/* Still there where it fails, and says so: whoever goes away would leave the session open. */}
      <button
        type="button"
        aria-busy={signOut.isPending || undefined}
        onClick={(event) => {
          event.stopPropagation();
          if (!signOut.isPending) signOut.mutate();
        }}
      >
        {t.common.signOut}
      </button>
      <ErrorNotice error={signOut.error} />
    </Menu>
  );
}

const initials = (name: string): string =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((part) => part.charAt(0).toUpperCase())
    .join("");

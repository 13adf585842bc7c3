import { useQuery } from "@tanstack/react-query";
import { Navigate, useNavigate, useSearchParams } from "react-router";
import { meQuery } from "../api/auth";
import { LoginForm } from "../features/auth/LoginForm";
import { t } from "../strings";
import { Logo } from "../ui/Logo";
import { LanguageChoice } from "../ui/Preferences";
import { Notice } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./LoginRoute.module.css";

// Browsers read a backslash as a slash, and leave out tabs and line breaks: both would lead away.
const OWN_PAGE = /^\/(?!\/)[^\\\s]*$/;

export function LoginRoute() {
  useTitle(t.people.signIn);
  const me = useQuery(meQuery);
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const next = search.get("next") ?? "/";
  const target = OWN_PAGE.test(next) ? next : "/";
  const refused = t.signIn.refused[search.get("refused") ?? ""];
  if (me.data) return <Navigate to={target} replace />;
  return (
    <main className={styles.page}>
      <div className={styles.panel}>
        <div className={styles.brand}>
          <Logo size={40} />
          <h1>{t.common.product}</h1>
          <p>{t.common.tagline}</p>
        </div>
        {refused && <Notice tone="bad">{refused}</Notice>}
        <LoginForm
          next={target}
          withPassword={search.has("password")}
          onDone={() => navigate(target, { replace: true })}
        />
        <LanguageChoice />
      </div>
    </main>
  );
}

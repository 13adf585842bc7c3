import { singleSignOn } from "../../api/auth";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";

/** Leads to the provider of single sign-on: the whole browser goes there. */
export function SingleSignOn({ name, next }: { name: string | null; next: string }) {
  return (
    <ButtonLink to={singleSignOn(next)} reloadDocument kind="primary" size="large">
      {name ? t.signIn.with(name) : t.signIn.single}
    </ButtonLink>
  );
}

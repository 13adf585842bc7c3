import { useSearchParams } from "react-router";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/State";
import { passedOver } from "./filters";

/** What the address asks for in vain, as a link of another version or by hand may. */
export function PassedOver() {
  const [query, setQuery] = useSearchParams();
  const names = passedOver(query);
  if (names.length === 0) return null;
  const drop = () =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const name of names) next.delete(name);
        return next;
      },
      { replace: true },
    );
  const dismiss = (
    <Button size="small" onClick={drop}>
      {t.pool.dismiss}
    </Button>
  );
  return (
    <Notice tone="bad" actions={dismiss}>
      <p>{t.pool.passedOver(names.map((name) => `${name}=${query.get(name)}`).join(", "))}</p>
    </Notice>
  );
}

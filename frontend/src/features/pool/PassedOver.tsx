import { useSearchParams } from "react-router";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/State";
import { passedOver } from "./filters";

/** What the address asks for in vain, as a link of another version or by hand may. */
export function PassedOver() {
  const [query, setQuery] = useSearchParams();
  const passed = passedOver(query).map((one) => one.join("="));
  if (passed.length === 0) return null;
  const drop = () =>
    setQuery((before) => [...before].filter((one) => !passed.includes(one.join("="))), {
      replace: true,
    });
  const dismiss = (
    <Button size="small" onClick={drop}>
      {t.pool.dismiss}
    </Button>
  );
  return (
    <Notice tone="bad" actions={dismiss}>
      <p>{t.pool.passedOver(passed.join(", "))}</p>
    </Notice>
  );
}

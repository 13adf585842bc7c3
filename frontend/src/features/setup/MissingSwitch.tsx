import type { Choice } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/State";
import type { Unmet } from "./needs";

type MissingSwitchProps = { unmet: Unmet; model: Choice; onChange: (model: Choice) => void };

/** Says that the model does not provide what a score needs, and switches it on where it can. */
export function MissingSwitch({ unmet, model, onChange }: MissingSwitchProps) {
  const { text, parameter } = unmet;
  if (!(parameter in model.params)) {
    return (
      <Notice tone="gold">
        {text} {t.setup.otherModel}
      </Notice>
    );
  }
  const params = { ...model.params, [parameter]: true };
  return (
    <Notice
      tone="gold"
      actions={
        <Button size="small" onClick={() => onChange({ ...model, params })}>
          {t.setup.switchOn}
        </Button>
      }
    >
      {text}
    </Notice>
  );
}

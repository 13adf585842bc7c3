import type { Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { CheckField, SelectField } from "../../ui/Field";
import { NumberField } from "../../ui/NumberField";
import { of100 } from "../../ui/outOf";
import { ModesField } from "./ModesField";
import styles from "./SetupScreen.module.css";
import { ShownFieldsField } from "./ShownFieldsField";

const { firstQueue: first } = t.advice;

type Change = (values: Partial<Settings>) => void;
type RoundFieldsProps = {
  project: Pick<Project, "id" | "task">;
  settings: Settings;
  onChange: Change;
};

/** How rounds are run: how long, who sees what, and at which price. */
export function RoundFields({ project, settings, onChange }: RoundFieldsProps) {
  const { task } = project;
  const { cost } = settings;
  const fixed = cost.mode === "fixed";
  const { namesOneClass, isDrawn } = traitsOf(project);
  const prices = managerWordsOf(project).setup();
  return (
    <>
      <div className={styles.params}>
        <NumberField
          label={t.setup.maxRounds}
          hint={t.setup.maxRoundsHint}
          value={settings.max_rounds}
          nullable
          integer
          min={1}
          max={10_000}
          onChange={(max_rounds) => onChange({ max_rounds })}
        />
        <NumberField
          label={t.setup.overlap}
          hint={t.setup.overlapHint}
          value={settings.overlap}
          integer
          min={1}
          max={20}
          onChange={(overlap) => overlap !== null && onChange({ overlap })}
        />
        <NumberField
          label={t.setup.secondLooks}
          hint={t.setup.secondLooksHint}
          value={settings.second_looks === null ? null : of100(settings.second_looks)}
          nullable
          min={0}
          max={50}
          onChange={(percent) =>
            onChange({ second_looks: percent === null ? null : percent / 100 })
          }
        />
        {namesOneClass && (
          <NumberField
            label={t.guarantee.setting.share}
            hint={t.guarantee.setting.shareHint}
            value={of100(settings.audit_share)}
            min={0}
            max={50}
            onChange={(percent) => percent !== null && onChange({ audit_share: percent / 100 })}
          />
        )}
        {isDrawn && (
          <NumberField
            label={t.boxes.setup.shifted}
            hint={t.boxes.setup.shiftedHint}
            value={of100(settings.shifted_proposals)}
            min={0}
            max={50}
            onChange={(percent) =>
              percent !== null && onChange({ shifted_proposals: percent / 100 })
            }
          />
        )}
        <SelectField
          label={t.setup.costMode}
          value={cost.mode}
          onChange={(event) =>
            onChange({ cost: { ...cost, mode: event.target.value as "fixed" | "seconds" } })
          }
        >
          <option value="fixed">{t.setup.costModes.fixed}</option>
          <option value="seconds">{t.setup.costModes.seconds}</option>
        </SelectField>
        {fixed && (
          <>
            <NumberField
              label={prices.costIn}
              value={cost.c_in}
              min={0.001}
              onChange={(c_in) => c_in !== null && onChange({ cost: { ...cost, c_in } })}
            />
            <NumberField
              label={prices.costOod}
              value={cost.c_ood}
              min={0.001}
              onChange={(c_ood) => c_ood !== null && onChange({ cost: { ...cost, c_ood } })}
            />
          </>
        )}
      </div>
      <CheckField
        label={t.setup.zeroWait}
        hint={t.setup.zeroWaitHint}
        checked={settings.zero_wait}
        onChange={(event) => onChange({ zero_wait: event.target.checked })}
      />
      {namesOneClass && (
        <CheckField
          label={t.guarantee.setting.learn}
          hint={t.guarantee.setting.learnHint}
          checked={settings.learn_from_model_labels}
          onChange={(event) => onChange({ learn_from_model_labels: event.target.checked })}
        />
      )}
      <div className={styles.first}>
        <SelectField
          label={first.label}
          hint={first.hint}
          value={settings.first_queue}
          onChange={(event) =>
            onChange({ first_queue: event.target.value as Settings["first_queue"] })
          }
        >
          <option value="typical">{first.typical}</option>
          <option value="random">{first.random}</option>
        </SelectField>
      </div>
      <ModesField task={task} modes={settings.modes} onChange={(modes) => onChange({ modes })} />
      <ShownFieldsField
        project={project}
        shown={settings.shown_fields}
        onChange={(shown_fields) => onChange({ shown_fields })}
      />
    </>
  );
}

import { Link } from "react-router";
import type { DuplicateGroup, Example, ExampleState, Project } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { sayable } from "../../tasks/byHand";
import type { Choice } from "../../tasks/choice";
import { saidOf } from "../../tasks/said";
import { stateNames, verdictNames } from "../../tasks/stateNames";
import { Button, ButtonLink } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { Menu } from "../../ui/Menu";
import styles from "./Duplicates.module.css";

const text = t.alike;
const SPLITS = ["pool", "evaluation", "auxiliary_ood", "held_out"] as const;

type DuplicateRowProps = {
  group: DuplicateGroup;
  project: Project;
  busy: boolean;
  onKeepOne: () => void;
  onSay: (choice: Choice) => void;
};

/** Images that show the same picture: where they are, what is said of them, what to do. */
export function DuplicateRow({ group, project, busy, onKeepOne, onSay }: DuplicateRowProps) {
  const { classes } = project;
  const names = stateNames(project);
  const verdicts = verdictNames(project);
  const nameOf = ({ class_id, objects }: DuplicateGroup["said"][number]) =>
    classes.find((one) => one.id === class_id)?.name ?? verdicts[objects ?? "ood"];
  const further = group.images - group.items.length;
  const spare = group.pool - (group.evaluation + group.auxiliary_ood > 0 ? 0 : 1);
  return (
    <li className={styles.group} aria-label={text.row(group.id, group.images)}>
      <ul className={styles.images}>
        {group.items.map((one) => (
          <li key={one.id}>
            <Link
              to={`?image=${one.id}&duplicate_of=${group.id}&split=all`}
              title={one.name}
              data-out={one.state === "held_out" || undefined}
            >
              <Thumbnail example={one} alt={one.name} loading="lazy" />
            </Link>
            <small>{wordOf(one, names)}</small>
          </li>
        ))}
        {further > 0 && <li className={styles.further}>{text.further(further)}</li>}
      </ul>
      <div className={styles.facts}>
        <strong>{text.size(group.images)}</strong>
        {group.is_leaking && <Chip tone="bad">{text.leaks}</Chip>}
        {group.is_contradicting && <Chip tone="bad">{text.contradicts}</Chip>}
        {SPLITS.filter((one) => group[one] > 0).map((one) => (
          <span key={one}>{text.split[one](group[one])}</span>
        ))}
        {group.said.map((one) => (
          <Chip key={one.class_id ?? one.objects}>{text.said(nameOf(one) ?? "", one.images)}</Chip>
        ))}
      </div>
      <div className={styles.buttons}>
        {spare > 0 && (
          <Button manages size="small" busy={busy} onClick={onKeepOne}>
            {text.keepOne}
          </Button>
        )}
        {group.pool > 0 && (
          <Menu label={text.say} name={text.saying(group.pool)}>
            {sayable(project).map(({ name, choice }) => (
              <button
                key={`${choice.verdict}-${choice.classId}`}
                type="button"
                onClick={() => onSay(choice)}
              >
                {name}
              </button>
            ))}
          </Menu>
        )}
        <ButtonLink size="small" to={`?duplicate_of=${group.id}&split=all`}>
          {text.open}
        </ButtonLink>
      </div>
    </li>
  );
}

/** Where an image is, or what it is called. */
const wordOf = (one: Example, names: Record<ExampleState, string>): string => {
  if (one.split !== "pool") return t.pool.values.split[one.split];
  return one.label ?? saidOf(one.whole_label) ?? names[one.state];
};

import { useQuery } from "@tanstack/react-query";
import { usersQuery } from "../../api/auth";
import { everyProjectQuery } from "../../api/projects";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import styles from "./AdminScreen.module.css";
import type { Shown } from "./filter";

const { audit: text } = t.admin;

type AuditFiltersProps = {
  shown: Shown;
  onChange: (shown: Shown) => void;
  /** Null when there is nothing to clear. */
  onClear: (() => void) | null;
};

export function AuditFilters({ shown, onChange, onClear }: AuditFiltersProps) {
  const users = useQuery(usersQuery);
  const projects = useQuery(everyProjectQuery);
  const bind = (name: keyof Shown) => ({
    value: shown[name],
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...shown, [name]: event.target.value }),
  });
  return (
    <fieldset className={styles.filters}>
      <legend className="visually-hidden">{text.filters}</legend>
      <SelectField label={text.person} {...bind("person")}>
        <option value="">{t.admin.everybody}</option>
        {users.data?.items.map((user) => (
          <option key={user.id} value={user.id}>
            {user.name} ({user.email})
          </option>
        ))}
      </SelectField>
      <SelectField label={text.verb} {...bind("verb")}>
        <option value="">{text.anything}</option>
        {Object.entries(text.verbs).map(([verb, name]) => (
          <option key={verb} value={verb}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label={text.object} {...bind("object")}>
        <option value="">{text.anything}</option>
        {Object.entries(text.objects).map(([object, name]) => (
          <option key={object} value={object}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label={text.project} {...bind("project")}>
        <option value="">{text.anyProject}</option>
        {projects.data?.items.map((project) => (
          <option key={project.id} value={project.id}>
            {project.name}
          </option>
        ))}
      </SelectField>
      <TextField label={text.from} type="date" max={shown.to || undefined} {...bind("from")} />
      <TextField label={text.to} type="date" min={shown.from || undefined} {...bind("to")} />
      {onClear && (
        <Button kind="quiet" onClick={onClear}>
          {text.clear}
        </Button>
      )}
    </fieldset>
  );
}

import { t } from "../../strings";
import { SearchField } from "./SearchField";
import { useTyped } from "./useTyped";

type TextSearchProps = { value: string; onChange: (value: string) => void };

/** Looks for words in all texts; what is typed is looked for once the typing pauses. */
export function TextSearch({ value, onChange }: TextSearchProps) {
  const typed = useTyped(value, onChange);
  return (
    <SearchField
      label={t.pool.search.label}
      hint={t.pool.search.hint}
      placeholder={t.pool.search.placeholder}
      maxLength={200}
      value={typed.value}
      onChange={(event) => typed.set(event.target.value)}
      onBlur={typed.leave}
      onKeyDown={(event) => {
        if (event.key === "Enter") typed.leave();
      }}
    />
  );
}

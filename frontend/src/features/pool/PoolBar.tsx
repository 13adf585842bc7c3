import type { Sort } from "../../api/pool";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { Segments } from "../../ui/Segments";
import { FindByFile } from "./FindByFile";
import styles from "./PoolScreen.module.css";
import type { useFileFinder } from "./useFileFinder";

type PoolBarProps = {
  count: { count: number; exact: boolean } | null;
  map: boolean;
  onMap: (shown: boolean) => void;
  /** How many are set. */
  filters: number;
  /** Where what is found is exported. */
  exports: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  sort: Sort;
  sorts: readonly Sort[];
  onSort: (sort: Sort) => void;
  finder: ReturnType<typeof useFileFinder>;
  onRefresh: () => void;
  busy: boolean;
};

/** How many images are found, how they are shown and in which order, and other ways to find some. */
export function PoolBar(props: PoolBarProps) {
  const { count, map, onMap, filters, exports, open, onOpen, sort, sorts, onSort } = props;
  return (
    <div className={styles.bar}>
      <h2 className={styles.count} aria-live="polite">
        {count ? t.pool.count(count.count, count.exact) : "…"}
        {count && !count.exact && <small>{t.pool.estimated}</small>}
      </h2>
      <Segments
        label={t.pool.views.label}
        hideLabel
        options={[
          { value: "grid", name: t.pool.views.grid },
          { value: "map", name: t.pool.views.map },
        ]}
        value={map ? "map" : "grid"}
        onChange={(value) => onMap(value === "map")}
      />
      <Button
        className={styles.toggle}
        aria-expanded={open}
        aria-controls="pool-filters"
        onClick={() => onOpen(!open)}
      >
        {t.pool.filtersSet(filters)}
      </Button>
      <SelectField
        label={t.pool.order}
        hideLabel
        value={sort}
        onChange={(event) => onSort(event.target.value as Sort)}
      >
        {sorts.map((one) => (
          <option key={one} value={one}>
            {t.pool.sorts[one]}
          </option>
        ))}
      </SelectField>
      <FindByFile finder={props.finder} />
      <ButtonLink manages to={exports}>
        {t.fieldFilters.exportThese}
      </ButtonLink>
      <ButtonLink to="?view=duplicates">{t.alike.duplicates}</ButtonLink>
      <Button onClick={props.onRefresh} busy={props.busy}>
        {t.pool.refresh}
      </Button>
    </div>
  );
}

import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { Empty } from "../../ui/State";

type NothingFoundProps = {
  project: Project;
  /** Whether words were looked for. */
  isSearched: boolean;
  /** Whether there would be something without filters. */
  isFiltered: boolean;
  onClear: () => void;
  onEndSearch: () => void;
  /** Look in every split; null where that was done. */
  onWiden: (() => void) | null;
};

/** Why there is nothing, and what to do about it. */
export function NothingFound(props: NothingFoundProps) {
  const { project, isSearched, isFiltered, onClear, onEndSearch, onWiden } = props;
  if (!isFiltered && !isSearched) {
    return (
      <Empty
        title={t.pool.empty}
        actions={
          <ButtonLink manages to={`/projects/${project.id}/settings#images`}>
            {t.pool.toImport}
          </ButtonLink>
        }
      >
        {t.pool.emptyText}
      </Empty>
    );
  }
  return (
    <Empty
      title={isSearched ? t.pool.search[onWiden ? "noneHere" : "none"] : t.pool.none}
      actions={
        <>
          {isSearched && onWiden && <Button onClick={onWiden}>{t.pool.search.everySplit}</Button>}
          {isSearched && <Button onClick={onEndSearch}>{t.pool.search.clear}</Button>}
          <Button onClick={onClear}>{t.pool.clearFilters}</Button>
        </>
      }
    >
      {isSearched ? t.pool.search.noneText : t.pool.noneText}
    </Empty>
  );
}

import { useQuery } from "@tanstack/react-query";
import { exampleCountQuery, filtersOf } from "../../api/pool";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";

/** That only a part leaves, how large it is, and the ways to it and to all. */
export function OnlyPart({ projectId, only }: { projectId: number; only: string }) {
  const found = useQuery(exampleCountQuery(projectId, filtersOf(only)));
  const count = found.data;
  const actions = (
    <>
      <ButtonLink size="small" to={`/projects/${projectId}/pool?${only}`}>
        {t.exports.onlyShown}
      </ButtonLink>
      <ButtonLink size="small" to={{ search: "", hash: "exports" }} replace>
        {t.exports.everything}
      </ButtonLink>
    </>
  );
  if (found.error) {
    return (
      <Notice tone="bad" actions={actions}>
        <Said>{found.error}</Said>
      </Notice>
    );
  }
  return (
    <Notice tone="gold" actions={actions}>
      <p aria-live="polite">
        {t.exports.only(count ? t.pool.count(count.count, count.exact) : "…")}
      </p>
      <p>{t.exports.onlyHint}</p>
    </Notice>
  );
}

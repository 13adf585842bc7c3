import { useQuery } from "@tanstack/react-query";
import { importsQuery, isPlanned, listed } from "../../api/imports";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { useManages } from "../../ui/managing";
import { Notice } from "../../ui/State";

/** Imports that are planned, and of which nothing comes until somebody answers. */
export function PlansNotice({ projectId }: { projectId: number }) {
  const manages = useManages();
  const imports = useQuery({ ...importsQuery(projectId), enabled: manages });
  const plans = imports.data?.items.filter(isPlanned) ?? [];
  if (!manages || plans.length === 0) return null;
  return (
    <Notice
      tone="gold"
      actions={
        <ButtonLink
          to={`/projects/${projectId}/settings#images`}
          state={{ expectsPlan: true }}
          size="small"
        >
          {t.overview.toPlan}
        </ButtonLink>
      }
    >
      {t.overview.plansWait(plans.map((job) => listed(job).name))}
    </Notice>
  );
}

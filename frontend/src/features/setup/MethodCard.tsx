import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, jobOf } from "../../api/algorithms";
import { serving } from "../../api/serving";
import type { AlgorithmKind, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { SubsetInUse } from "../../ui/jobs/SubsetInUse";
import { NumberField } from "../../ui/NumberField";
import { useFold } from "../../ui/useFold";
import { AlgorithmField } from "./AlgorithmField";
import { CostWords } from "./CostWords";
import { LearnedFeatures } from "./LearnedFeatures";
import { MissingSwitch } from "./MissingSwitch";
import { unmetBy } from "./needs";
import { RoundFields } from "./RoundFields";
import { RoundTime } from "./RoundTime";
import styles from "./SetupScreen.module.css";
import { WeightsNotice } from "./WeightsNotice";

type MethodCardProps = {
  project: Project;
  settings: Settings;
  onChange: (settings: Settings) => void;
};

export function MethodCard({ project, settings, onChange }: MethodCardProps) {
  const algorithms = useQuery(algorithmsQuery);
  const change = (values: Partial<Settings>) => onChange({ ...settings, ...values });
  const items = serving(algorithms.data?.items ?? [], project);
  const chosen = (kind: AlgorithmKind) =>
    items.find((one) => one.kind === kind && one.name === settings[kind].name);
  const needs = chosen("strategy")?.needs ?? [];
  const scores = (["purity", "informativeness"] as const).filter((kind) => needs.includes(kind));
  const used = [chosen("strategy"), ...scores.map(chosen)];
  const needing = used.flatMap((one) => (one?.needs.includes("contrastive") ? [one] : []));
  const learning = jobOf(items, "learn_features");
  const prerequisites = (kind: AlgorithmKind) => {
    const one = used.find((algorithm) => algorithm?.kind === kind);
    if (!one) return null;
    return (
      <>
        {unmetBy(settings.model, one).map((unmet) => (
          <MissingSwitch
            key={unmet.parameter}
            unmet={unmet}
            model={settings.model}
            onChange={(model) => change({ model })}
          />
        ))}
        {learning && needing[0] === one && (
          <LearnedFeatures
            project={project}
            algorithm={learning}
            needing={needing.map(({ title }) => title)}
          />
        )}
      </>
    );
  };
  const aboutModel = (
    <>
      {aboutWeights(project).map((warning) => (
        <WeightsNotice key={warning} model={project.settings?.model} said={warning} />
      ))}
      <RoundTime
        project={project}
        model={settings.model}
        title={chosen("model")?.title ?? settings.model.name}
      />
    </>
  );
  const chooser = (kind: AlgorithmKind, note: string | null = null) => (
    <AlgorithmField
      kind={kind}
      algorithms={items.filter((one) => one.kind === kind)}
      choice={settings[kind]}
      note={note}
      onChange={(choice) => change({ [kind]: choice })}
    >
      {kind === "model" ? aboutModel : prerequisites(kind)}
    </AlgorithmField>
  );
  const fold = useFold(false, "#method");
  return (
    <Card title={t.setup.method} hint={t.setup.methodHint} id="method">
      <SubsetInUse project={project} />
      <div className={styles.params}>
        <NumberField
          label={t.setup.budget}
          hint={settings.cost.mode === "fixed" ? t.setup.budgetFixed : t.setup.budgetSeconds}
          value={settings.budget}
          min={0.001}
          onChange={(budget) => budget !== null && change({ budget })}
        />
      </div>
      <CostWords project={project} settings={settings} />
      <details className={styles.advanced} {...fold}>
        <summary>{t.setup.moreMethod}</summary>
        <div className={styles.folded}>
          <RoundFields project={project} settings={settings} onChange={change} />
          <Fetching of={algorithms} height="18rem" />
          {algorithms.data && (
            <div className={styles.choosers}>
              {chooser("strategy")}
              {chooser("purity", needs.includes("purity") ? null : t.setup.unused)}
              {chooser(
                "informativeness",
                needs.includes("informativeness") ? null : t.setup.unused,
              )}
              {chooser("model")}
            </div>
          )}
          <details className={styles.advanced}>
            <summary>{t.setup.advanced}</summary>
            <div className={styles.params}>
              <NumberField
                label={t.setup.seed}
                hint={t.setup.seedHint}
                value={settings.seed}
                integer
                min={0}
                onChange={(seed) => seed !== null && change({ seed })}
              />
              <NumberField
                label={t.setup.leaseSeconds}
                hint={t.setup.leaseSecondsHint}
                value={settings.lease_seconds}
                integer
                min={1}
                max={86_400}
                onChange={(seconds) => seconds !== null && change({ lease_seconds: seconds })}
              />
            </div>
          </details>
        </div>
      </details>
    </Card>
  );
}

/** What the server says of the weights that the stored model starts from, or the purity compares by. */
function aboutWeights({ settings, warnings }: Project): string[] {
  const { architecture, weights } = settings?.model.params ?? {};
  const { uploaded } = settings?.purity.params ?? {};
  const names = [architecture, weights, uploaded].filter(
    (one) => typeof one === "string" && one !== "",
  );
  return warnings.filter((warning) => names.some((name) => warning.includes(String(name))));
}

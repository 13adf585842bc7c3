import { useState } from "react";
import { useTitles } from "../../api/algorithms";
import { artifactUrl } from "../../api/artifacts";
import type { Comparison, Trained } from "../../api/results";
import type { Artifact, Choice, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useManages } from "../../ui/managing";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import { settingOf, trainsAs } from "./choice";
import { nameOf, trainedOf } from "./figures";
import styles from "./JobsScreen.module.css";
import { useSettingsChange } from "./useSettingsChange";

const { comparison } = t.jobs;

type NextRoundsProps = {
  project: Project & { settings: Settings };
  result: Comparison;
  files: Artifact[];
};

/** Takes one of the methods for the rounds to come, and takes it back; offers the model files. */
export function NextRounds({ project, result, files }: NextRoundsProps) {
  const [used, setUsed] = useState<{ name: string; before: Choice } | null>(null);
  const titleOf = useTitles("model");
  const change = useSettingsChange(project.id);
  const use = (name: string, setting: Choice) => {
    const before = project.settings.model;
    const model = settingOf(before, setting);
    change.mutate({ model }, { onSuccess: () => setUsed({ name, before }) });
  };
  const undo = (before: Choice) =>
    change.mutate({ model: before }, { onSuccess: () => setUsed(null) });
  return (
    <>
      <Table label={comparison.next}>
        <tbody>
          {trainedOf(result).map((method) => {
            const name = nameOf(result, method);
            const setting = settingOfRounds(result, method);
            return (
              <tr key={method}>
                <th scope="row">{name}</th>
                {setting && (
                  <td>
                    {trainsAs(project.settings.model, setting) ? (
                      <Chip tone="good">{comparison.inUse}</Chip>
                    ) : (
                      <Button
                        manages
                        size="small"
                        busy={change.isPending}
                        aria-label={comparison.forNextRounds(name)}
                        onClick={() => use(name, setting)}
                      >
                        {comparison.use}
                      </Button>
                    )}
                  </td>
                )}
                <td data-number>
                  <ModelFile files={files} method={method} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {used && (
        <Notice
          tone="gold"
          actions={
            <Button size="small" busy={change.isPending} onClick={() => undo(used.before)}>
              {comparison.undo}
            </Button>
          }
        >
          {comparison.used(used.name, titleOf(used.before.name))}
        </Notice>
      )}
      <ErrorNotice error={change.error} />
    </>
  );
}

/** What makes rounds train like a method; nothing where they cannot. */
const settingOfRounds = ({ settings }: Comparison, method: Trained): Choice | undefined =>
  method === "supervised" ? undefined : settings[method];

function ModelFile({ files, method }: { files: Artifact[]; method: Trained }) {
  const file = files.find((one) => one.meta.method === method);
  const manages = useManages();
  if (!file || !manages) return null;
  return (
    <a className={styles.actions} href={artifactUrl(file.id)} download>
      {comparison.download}
    </a>
  );
}

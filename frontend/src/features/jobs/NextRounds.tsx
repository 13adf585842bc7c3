import { useState } from "react";
import { useTitles } from "../../api/algorithms";
import { artifactUrl } from "../../api/artifacts";
import type { Comparison, Method } from "../../api/results";
import type { Artifact, Choice, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { useManages } from "../../ui/managing";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import { isSame, settingOf } from "./choice";
import { METHODS } from "./figures";
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
  const [used, setUsed] = useState<{ method: Method; before: Choice } | null>(null);
  const titleOf = useTitles("model");
  const change = useSettingsChange(project.id);
  const use = (method: Method) => {
    const before = project.settings.model;
    const model = settingOf(before, result.settings[method]);
    change.mutate({ model }, { onSuccess: () => setUsed({ method, before }) });
  };
  const undo = (before: Choice) =>
    change.mutate({ model: before }, { onSuccess: () => setUsed(null) });
  return (
    <>
      <Table label={comparison.next}>
        <tbody>
          {METHODS.map((method) => (
            <tr key={method}>
              <th scope="row">{comparison.methods[method]}</th>
              <td>
                {isSame(project.settings.model, result.settings[method]) ? (
                  <Chip tone="good">{comparison.inUse}</Chip>
                ) : (
                  <Button
                    manages
                    size="small"
                    busy={change.isPending}
                    aria-label={comparison.forNextRounds(comparison.methods[method])}
                    onClick={() => use(method)}
                  >
                    {comparison.use}
                  </Button>
                )}
              </td>
              <td data-number>
                <ModelFile files={files} method={method} />
              </td>
            </tr>
          ))}
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
          {comparison.used(comparison.methods[used.method], titleOf(used.before.name))}
        </Notice>
      )}
      {change.error && <Notice tone="bad">{change.error.message}</Notice>}
    </>
  );
}

function ModelFile({ files, method }: { files: Artifact[]; method: Method }) {
  const file = files.find((one) => one.meta.method === method);
  const manages = useManages();
  if (!file || !manages) return null;
  return (
    <a className={styles.actions} href={artifactUrl(file.id)} download>
      {comparison.download}
    </a>
  );
}

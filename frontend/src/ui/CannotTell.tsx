import { cannotTell, tellingOf } from "../api/measures";
import type { Project, Round } from "../api/types";
import { t } from "../strings";
import { ButtonLink } from "./Button";
import { Notice } from "./State";

const { cannotTell: text } = t.advice;

const KNOWING = "auto";

/** Warns where the model of a round knows next to nothing of which images belong to a class. */
export function CannotTell({
  project,
  round,
  nameOf,
}: {
  project: Project;
  round: Round;
  /** The title of a model. */
  nameOf: (model: string) => string;
}) {
  const found = tellingOf(round);
  if (!found || !cannotTell(round)) return null;
  const { model } = round.settings as { model?: { name: string } };
  return (
    <Notice
      tone="gold"
      actions={
        <ButtonLink manages to={`/projects/${project.id}/settings#method`} size="small">
          {text.settings}
        </ButtonLink>
      }
    >
      <strong>{text.title}</strong> {text.text(`${Math.round(100 * found.auroc)}`)}{" "}
      {model?.name === KNOWING ? text.larger : text.change(nameOf(KNOWING))}
    </Notice>
  );
}

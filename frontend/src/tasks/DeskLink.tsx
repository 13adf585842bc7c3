import type { ComponentProps } from "react";
import type { Project } from "../api/types";
import { t } from "../strings";
import { ButtonLink } from "../ui/Button";
import styles from "./DeskLink.module.css";
import { hasTaskView } from "./traits";

type DeskLinkProps = ComponentProps<typeof ButtonLink> & { project: Pick<Project, "task"> };

/** Leads to a page to label or review at; where there is none for the type of task, it says so. */
export function DeskLink({ project, ...rest }: DeskLinkProps) {
  if (hasTaskView(project)) return <ButtonLink {...rest} />;
  const { short, text } = t.label.noPage;
  return (
    <span className={styles.none} title={text(project.task)}>
      {short}
    </span>
  );
}

import type { Project, User } from "../../api/types";
import { Loading, Skeleton } from "../../ui/State";
import { Desk } from "./Desk";
import styles from "./LabelScreen.module.css";
import { useSender } from "./SenderProvider";
import { useLabelSession } from "./useLabelSession";

type LabelScreenProps = { project: Project; user: User; projectLink: string | null };

export function LabelScreen({ project, user, projectLink }: LabelScreenProps) {
  const sender = useSender();
  const labeling = useLabelSession({
    projectId: project.id,
    medium: project.medium,
    userId: user.id,
    sender,
  });
  if (!sender || !labeling) {
    return (
      <div className={styles.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return (
    <Desk
      project={project}
      user={user}
      projectLink={projectLink}
      labeling={labeling}
      sender={sender}
    />
  );
}

import { useState, useSyncExternalStore } from "react";
import type { Project, User } from "../../../api/types";
import { t } from "../../../strings";
import { Failure, Loading, Notice, Skeleton } from "../../../ui/State";
import { Between } from "../Between";
import { LabelBar } from "../LabelBar";
import desk from "../LabelScreen.module.css";
import { ModeSwitch } from "../ModeSwitch";
import type { AnswerSender } from "../queue/sender";
import { useSender } from "../SenderProvider";
import { Waiting } from "../Waiting";
import { GridDesk } from "./GridDesk";
import { GridHelp } from "./GridHelp";
import styles from "./GridScreen.module.css";
import type { GridSession } from "./session";
import { type Density, useDensity } from "./useDensity";
import { useGridSession } from "./useGridSession";

type GridScreenProps = { project: Project; user: User; projectLink: string | null };

export function GridScreen({ project, user, projectLink }: GridScreenProps) {
  const sender = useSender();
  const [density, setDensity] = useDensity();
  const place = { projectId: project.id, userId: user.id, sender, size: density };
  const session = useGridSession(place);
  if (!sender || !session) {
    return (
      <div className={desk.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return (
    <Screen
      project={project}
      user={user}
      projectLink={projectLink}
      session={session}
      sender={sender}
      density={density}
      onDensity={setDensity}
    />
  );
}

type ScreenProps = GridScreenProps & {
  session: GridSession;
  sender: AnswerSender;
  density: Density;
  onDensity: (density: Density) => void;
};

function Screen(props: ScreenProps) {
  const { project, user, projectLink, session, sender, density, onDensity } = props;
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  const [help, setHelp] = useState(false);
  return (
    <div className={styles.screen}>
      <LabelBar
        project={project}
        projectLink={projectLink}
        status={view.status}
        mine={view.mine}
        onHelp={() => setHelp(true)}
      >
        <ModeSwitch project={project} user={user} mode="grid" />
      </LabelBar>
      {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
      {view.phase === "working" && (
        <GridDesk
          classes={project.classes}
          guidelines={project.guidelines}
          session={session}
          view={view}
          density={density}
          onDensity={onDensity}
          onHelp={() => setHelp(true)}
        />
      )}
      {view.phase !== "working" && (
        <div className={styles.between}>
          {view.phase === "loading" && <Between sending={sending} />}
          {view.phase === "waiting" && (
            <Waiting
              projectId={project.id}
              status={view.status}
              canUndo={view.history.length > 0}
              onUndo={() => session.undo()}
              onNews={session.wake}
            />
          )}
          {view.phase === "failed" && view.error && (
            <Failure error={view.error} onRetry={session.wake} />
          )}
        </div>
      )}
      {help && <GridHelp classes={project.classes} onClose={() => setHelp(false)} />}
    </div>
  );
}

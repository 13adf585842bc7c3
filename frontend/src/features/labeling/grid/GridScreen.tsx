import { useCallback, useState, useSyncExternalStore } from "react";
import type { Project, User } from "../../../api/types";
import { t } from "../../../strings";
import { keyDialog } from "../../../ui/keyDialog";
import { FailureNotice } from "../../../ui/RoundFailure";
import { Loading, Notice, Skeleton } from "../../../ui/State";
import { Between } from "../Between";
import { LabelBar } from "../LabelBar";
import desk from "../LabelScreen.module.css";
import { ModeSwitch } from "../ModeSwitch";
import { PauseCover } from "../PauseCover";
import type { AnswerSender } from "../queue/sender";
import { useSender } from "../SenderProvider";
import { useGuide } from "../useGuide";
import { Waiting } from "../Waiting";
import { GridDesk } from "./GridDesk";
import styles from "./GridScreen.module.css";
import { type Density, useDensity } from "./useDensity";
import { type Gridding, useGridSession } from "./useGridSession";

const GridHelp = keyDialog(() => import("./GridHelp").then((m) => m.GridHelp));

type GridScreenProps = { project: Project; user: User; projectLink: string | null };

export function GridScreen({ project, user, projectLink }: GridScreenProps) {
  const sender = useSender();
  const [density, setDensity] = useDensity(project.medium);
  const place = {
    projectId: project.id,
    medium: project.medium,
    userId: user.id,
    sender,
    size: density,
  };
  const gridding = useGridSession(place);
  if (!sender || !gridding) {
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
      gridding={gridding}
      sender={sender}
      density={density}
      onDensity={setDensity}
    />
  );
}

type ScreenProps = GridScreenProps & {
  gridding: Gridding;
  sender: AnswerSender;
  density: Density;
  onDensity: (density: Density) => void;
};

function Screen(props: ScreenProps) {
  const { project, user, projectLink, sender, density, onDensity } = props;
  const { session, stopwatch } = props.gridding;
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const { state: sending } = useSyncExternalStore(sender.subscribe, sender.getView);
  const [help, setHelp] = useState(false);
  const [guide, toggleGuide, closeGuide] = useGuide();
  const pause = useCallback(() => session.pause("asked"), [session]);
  return (
    <div className={styles.screen}>
      <LabelBar
        project={project}
        projectLink={projectLink}
        status={view.status}
        mine={view.mine}
        onGuide={toggleGuide}
        onPause={pause}
        onHelp={() => setHelp(true)}
      >
        <ModeSwitch project={project} user={user} mode="grid" />
      </LabelBar>
      <div className={styles.notices}>
        {!sender.durable && <Notice tone="bad">{t.label.notDurable}</Notice>}
        {view.phase !== "waiting" && <FailureNotice project={project} />}
      </div>
      {view.phase === "working" && (
        <GridDesk
          project={project}
          session={session}
          view={view}
          density={density}
          guide={guide}
          onDensity={onDensity}
          onHelp={() => setHelp(true)}
          onGuide={toggleGuide}
          onPause={pause}
          onCloseGuide={closeGuide}
        />
      )}
      {view.phase !== "working" && (
        <div className={styles.between}>
          <Between view={view} sending={sending} onRetry={session.wake} />
          {view.phase === "waiting" && (
            <Waiting
              projectId={project.id}
              task={project.task}
              status={view.status}
              elsewhere={view.elsewhere}
              onTakeOver={session.takeOver}
              canUndo={view.history.length > 0}
              onUndo={() => session.undo()}
              onNews={session.wake}
            />
          )}
        </div>
      )}
      {view.paused && (
        <PauseCover why={view.paused} stopwatch={stopwatch} onResume={session.resume} />
      )}
      {help && <GridHelp classes={project.classes} onClose={() => setHelp(false)} />}
    </div>
  );
}

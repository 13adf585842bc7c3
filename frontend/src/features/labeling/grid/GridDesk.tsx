import {
  lazy,
  type MouseEvent,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { LabelClass, Project } from "../../../api/types";
import type { Prepared } from "../../../media/spec";
import { t } from "../../../strings";
import { nameOf } from "../../../tasks/classification/describe";
import { measurePaint } from "../../../ui/measure";
import type { OnState } from "../useComingUp";
import { useShownClasses } from "../useShownClasses";
import { DensityControl } from "./DensityControl";
import styles from "./GridDesk.module.css";
import { GroupSection } from "./GroupSection";
import { isComplete } from "./groups";
import type { GridCommand } from "./keys";
import { Look, Preview } from "./Look";
import { type GridView, idOf } from "./model";
import { band, extendTo, focusOn, release, toggle } from "./selection";
import type { GridSession } from "./session";
import { type Density, denser } from "./useDensity";
import { useGridActions } from "./useGridActions";
import { useGridKeys } from "./useGridKeys";
import { useLayout } from "./useLayout";
import { useLongPress } from "./useLongPress";
import { useRubberBand } from "./useRubberBand";
import { VerdictBar } from "./VerdictBar";

const GuidePanel = lazy(() => import("../GuidePanel").then((m) => ({ default: m.GuidePanel })));

/** How long a group is still shown whose images all have a verdict. */
const LINGER_MS = 650;

type GridDeskProps = {
  project: Project;
  session: GridSession;
  view: GridView;
  density: Density;
  onDensity: (density: Density) => void;
  /** Whether the guide to the classes is open. */
  guide: boolean;
  onHelp: () => void;
  onGuide: () => void;
  onPause: () => void;
  onCloseGuide: () => void;
};

const tileAt = (target: EventTarget): number | null => {
  const tile = (target as Element).closest<HTMLElement>("[data-tile]");
  return tile ? Number(tile.dataset.tile) : null;
};

export function GridDesk(props: GridDeskProps) {
  const { project, session, view, density, onDensity, guide } = props;
  const { classes, guidelines } = project;
  const area = useRef<HTMLDivElement>(null);
  const layout = useLayout(view.page, classes);
  const shownAt = useShownClasses(project, view.status?.classes_version);
  const [states] = useState(() => new Map<number, Prepared["state"]>());
  const onState: OnState = useCallback((id, state) => void states.set(id, state), [states]);
  const actions = useGridActions({ session, layout, classes, shownAt, area, states });
  const { selection, setSelection, unseen } = actions;
  const [hovered, setHovered] = useState<number | null>(null);
  /** Whether the image at the keys is shown large: it is the one that gets the verdict. */
  const [looks, setLooks] = useState(false);
  const longPress = useLongPress((target) => {
    const id = tileAt(target);
    if (id === null) return;
    setSelection((now) => focusOn(now, id));
    setLooks(true);
  });
  const tileOf = (id: number | null) => view.page.find((tile) => idOf(tile) === id) ?? null;
  const boxed = useRubberBand(area, {
    onBand: (ids) => setSelection((now) => band(now, ids)),
    onEnd: () => setSelection(release),
  });

  const run = (command: GridCommand, classesVersion: number) => {
    if (command.do === "answer") actions.judge({ ...command.choice, classesVersion });
    else if (command.do === "move") actions.go(command.direction, command.extend);
    else if (command.do === "resize") onDensity(denser(project.medium, density, command.by));
    else if (command.do === "toggle") actions.toggleFocus();
    else if (command.do === "confirm") actions.confirm();
    else if (command.do === "group") actions.toggleGroup();
    else if (command.do === "undo") actions.undo();
    else if (command.do === "help") props.onHelp();
    else if (command.do === "guide") props.onGuide();
    else if (command.do === "pause") props.onPause();
    else if (command.do === "look") setLooks((now) => !now);
    else if (looks) setLooks(false);
    else actions.clear();
  };
  useGridKeys(shownAt, run);
  useFollowFocus(area, selection.focus);

  const complete = layout.groups.filter(isComplete).map((group) => group.key);
  const leaving = complete.join(" ");
  useEffect(() => {
    if (leaving === "") return;
    const timer = setTimeout(() => session.tidy(), LINGER_MS);
    return () => clearTimeout(timer);
  }, [leaving, session]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each verdict changes what is painted.
  useLayoutEffect(measurePaint, [view.history]);

  const onClick = (event: MouseEvent) => {
    const id = tileAt(event.target);
    if (id === null || longPress.happened()) return;
    setSelection((now) =>
      event.shiftKey ? extendTo(now, layout.order, id) : toggle(focusOn(now, id), id),
    );
  };
  return (
    <div className={styles.desk} data-guide={guide || undefined}>
      <div className={styles.stage}>
        <div className={styles.head}>
          <p className={styles.last} aria-live="polite">
            {[lastOf(view, classes), unseen > 0 && t.grid.unseen(unseen)]
              .filter(Boolean)
              .join(" · ")}
          </p>
          <DensityControl medium={project.medium} density={density} onChange={onDensity} />
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the grid do the same. */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the tiles in it are the options. */}
        <div
          ref={area}
          className={styles.area}
          data-density={density}
          data-medium={project.medium}
          data-boxing={boxed ? "" : undefined}
          onClick={onClick}
          onPointerOver={(event) =>
            event.pointerType === "mouse" && setHovered(tileAt(event.target))
          }
          onPointerLeave={() => setHovered(null)}
          {...longPress.handlers}
        >
          {layout.groups.map((group) => (
            <GroupSection
              key={group.key}
              group={group}
              classes={classes}
              selection={selection}
              leaving={complete.includes(group.key)}
              onState={onState}
              onConfirm={() => actions.confirm(group)}
              onToggle={() => actions.toggleGroup(group)}
            />
          ))}
          {boxed && <div className={styles.band} style={boxed} />}
        </div>
        {looks && (
          <Look
            tile={tileOf(selection.focus)}
            covered={view.paused !== null}
            onClose={() => setLooks(false)}
          />
        )}
      </div>
      {guide ? (
        <Suspense fallback={<aside />}>
          <GuidePanel
            project={project}
            exampleId={tileOf(selection.focus)?.subject.example_id ?? null}
            onClose={props.onCloseGuide}
          />
        </Suspense>
      ) : (
        <Preview
          tile={tileOf(hovered) ?? tileOf(selection.focus)}
          classes={classes}
          guidelines={guidelines}
        />
      )}
      <VerdictBar
        classes={classes}
        selected={selection.chosen.size}
        canUndo={view.history.length > 0}
        onJudge={actions.judge}
        onUndo={actions.undo}
        onClear={actions.clear}
      />
    </div>
  );
}

/** What the last verdict was, or what was taken back since. */
function lastOf({ history, undone }: GridView, classes: LabelClass[]): string | null {
  const last = undone.length > 0 ? undone : history.at(-1);
  const given = last?.[0]?.given;
  if (!last || !given) return null;
  const say = undone.length > 0 ? t.grid.undone : t.grid.given;
  return say(last.length, nameOf(given, classes));
}

/** The browser's focus goes where the keys are, unless it is on a control. */
function useFollowFocus(area: React.RefObject<HTMLElement | null>, focus: number | null): void {
  useEffect(() => {
    const active = document.activeElement;
    const free = active === null || active === document.body || area.current?.contains(active);
    if (focus === null || !free || active?.closest("button, a")) return;
    area.current?.querySelector<HTMLElement>(`[data-tile="${focus}"]`)?.focus();
  }, [area, focus]);
}

import {
  type RefObject,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import type { LabelClass } from "../../api/types";
import { NotShown } from "../../media/image/NotShown";
import { useSharper } from "../../media/image/useSharper";
import { t } from "../../strings";
import { measurePaint } from "../../ui/measure";
import type { TaskStageProps } from "../spec";
import type { BoxEditor, EditorView } from "./editor";
import { Message } from "./Message";
import { idOfChosen, Overlay } from "./Overlay";
import { differsInPlace, type Picture, paint, push } from "./paint";
import styles from "./Stage.module.css";
import { Scene } from "./scene";
import { Tools } from "./Tools";
import { useEditorKeys } from "./useEditorKeys";
import { useGestures } from "./useGestures";

/** From so many pixels of the screen for one of the image its pixels are drawn as they are. */
const CRISP_FROM = 3;

/** The image and its boxes: all on one canvas, and the chosen one over it. */
export function Stage({ work: editor, ...props }: TaskStageProps) {
  if (editor?.kind !== "boxes" || editor.queryId !== props.subject.query_id) return null;
  return <Editing key={editor.queryId} editor={editor} {...props} />;
}

type EditingProps = Omit<TaskStageProps, "work" | "medium"> & { editor: BoxEditor };

function Editing(props: EditingProps) {
  const { editor, subject, ahead, classes, alternate, covered = false, onShown } = props;
  useSyncExternalStore(ahead.subscribe, ahead.getVersion);
  const prepared = ahead.get(subject);
  const ready = prepared?.state === "ready" && "image" in prepared ? prepared.image : null;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useMemo(() => new Scene(editor.image), [editor]);
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  useSyncExternalStore(scene.subscribe, scene.getVersion);
  const hint = useId();

  useFrame(frame, scene);
  useShownImage(frame, ready, subject, onShown);
  useSharper(ready, subject, subject.width ? subject.width * scene.view.k : 0);
  useLayoutEffect(() => place(ready, scene, alternate));
  usePainting(canvas, { editor, view, scene, classes });
  const gestures = useGestures(frame, editor, scene);
  useEditorKeys({ editor, scene, gestures, classes, frame, covered });

  return (
    <div className={styles.stage}>
      <div
        ref={frame}
        className={styles.frame}
        role="application"
        aria-label={t.boxes.stage(view.doc.boxes.length)}
        aria-describedby={hint}
        aria-activedescendant={idOfChosen(view)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has its own keys.
        tabIndex={0}
        data-chosen={view.chosen?.kind}
        data-drawing={view.armed !== null || undefined}
      >
        <canvas ref={canvas} className={styles.canvas} />
        <Overlay editor={editor} view={view} scene={scene} classes={classes} />
      </div>
      <p id={hint} className="visually-hidden">
        {t.boxes.stageHint}
      </p>
      {ready ? (
        <>
          <Message editor={editor} view={view} classes={classes} />
          <Tools editor={editor} view={view} scene={scene} />
        </>
      ) : (
        <NotShown subject={subject} ahead={ahead} />
      )}
    </div>
  );
}

function useFrame(frame: RefObject<HTMLDivElement | null>, scene: Scene): void {
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      scene.resize({ width, height });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
      scene.stop();
    };
  }, [frame, scene]);
}

function useShownImage(
  frame: RefObject<HTMLDivElement | null>,
  ready: HTMLImageElement | null,
  subject: EditingProps["subject"],
  onShown: () => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once per query, whatever its callback is.
  useLayoutEffect(() => {
    const parent = frame.current;
    if (!parent || !ready) return;
    ready.alt = t.label.imageAlt(subject.name);
    ready.dataset.queryId = String(subject.query_id);
    parent.prepend(ready);
    measurePaint();
    onShown();
    return () => ready.remove();
  }, [frame, ready, subject.query_id]);
}

function place(image: HTMLImageElement | null, { view, image: size }: Scene, smooth: boolean) {
  if (!image) return;
  const { style } = image;
  style.width = `${size.width}px`;
  style.height = `${size.height}px`;
  style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.k})`;
  style.imageRendering = !smooth && view.k >= CRISP_FROM ? "pixelated" : "auto";
}

type Painting = { editor: BoxEditor; view: EditorView; scene: Scene; classes: LabelClass[] };

function usePainting(
  canvas: RefObject<HTMLCanvasElement | null>,
  { editor, view, scene, classes }: Painting,
): void {
  const { chosen } = view;
  const { frame, hovered } = scene;
  const { k, x, y } = scene.view;
  const painted = useRef<{ picture: Picture; ratio: number } | null>(null);
  // Not with every move of the pointer: only where what lies on the canvas is another picture.
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
    const isResized = element.width !== width || element.height !== height;
    if (isResized) Object.assign(element, { width, height });
    const apart = {
      id: chosen?.kind === "box" ? chosen.id : null,
      index: chosen?.kind === "proposal" ? chosen.index : null,
    };
    const { proposals } = editor;
    const picture = { view: { k, x, y }, frame, editor: view, proposals, classes, apart, hovered };
    const before = painted.current;
    const isSame = before && !isResized && differsInPlace(before.picture, picture);
    const by = isSame && { x: x - before.picture.view.x, y: y - before.picture.view.y };
    if (!by || ratio !== before?.ratio || !push(context, picture, by, ratio)) {
      paint(context, picture, ratio);
    }
    painted.current = { picture, ratio };
  }, [canvas, editor, view, classes, chosen, frame, hovered, k, x, y]);
}

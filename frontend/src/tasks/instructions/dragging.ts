import type { DragEvent, MouseEvent } from "react";
import type { RankingEditor } from "./editor";
import type { Target } from "./ranking";

const KIND = "application/x-karat-example";

/** What an example is taken by. */
export const dragged = (id: number) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    event.dataTransfer.setData(KIND, String(id));
    event.dataTransfer.effectAllowed = "move";
  },
});

/** A click leaves the keys with the order. Not before: what is pressed might be dragged. */
export function letGo(event: MouseEvent<HTMLElement>): void {
  if (event.detail > 0) event.currentTarget.blur();
}

const isOurs = (event: DragEvent): boolean => event.dataTransfer.types.includes(KIND);

/** A place that examples can be dropped at; where they go depends on where on it they are let go. */
export const droppedAt = (
  editor: RankingEditor,
  targetOf: (event: DragEvent<HTMLElement>) => Target,
) => ({
  onDragOver: (event: DragEvent<HTMLElement>) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const target = targetOf(event);
    event.currentTarget.dataset.over =
      typeof target === "string" ? "in" : "into" in target ? "in" : sideOf(event);
  },
  onDragLeave: (event: DragEvent<HTMLElement>) => {
    delete event.currentTarget.dataset.over;
  },
  onDrop: (event: DragEvent<HTMLElement>) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    event.stopPropagation();
    delete event.currentTarget.dataset.over;
    const id = Number(event.dataTransfer.getData(KIND));
    if (editor.ids.includes(id)) editor.move(id, targetOf(event));
  },
});

/** How far down an element the pointer is, in 0..1. */
function heightIn({ currentTarget, clientY }: DragEvent<HTMLElement>): number {
  const { top, height } = currentTarget.getBoundingClientRect();
  return height === 0 ? 0 : (clientY - top) / height;
}

const sideOf = (event: DragEvent<HTMLElement>): string =>
  heightIn(event) < 0.5 ? "before" : "after";

/** Into the place in its middle third, before it above, and after it below. */
export function targetAt(event: DragEvent<HTMLElement>, index: number): Target {
  const height = heightIn(event);
  if (height < 1 / 3) return { before: index };
  return height > 2 / 3 ? { before: index + 1 } : { into: index };
}

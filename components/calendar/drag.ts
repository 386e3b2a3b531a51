import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type RefObject, useEffect, useState } from "react";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import type { DropTarget } from "./calendar-moves.ts";

/** The pins that are dragged, first the one under the pointer. */
interface Dragged {
  ids: readonly string[];
  isDraft: boolean;
}

const KIND = "pins";

const isDragged = (data: object): data is Dragged => "kind" in data && data.kind === KIND;

const readDragged = (data: object): Dragged | null => (isDragged(data) ? data : null);

/** Makes an element draggable. @returns whether it is being dragged. */
export const useDraggable = (ref: RefObject<HTMLElement | null>, isEnabled: boolean, read: () => Dragged): boolean => {
  const [isDragging, setDragging] = useState(false);
  const getData = useStableCallback(read);
  useEffect(() => {
    const element = ref.current;
    if (!element || !isEnabled) return;
    return draggable({
      element,
      getInitialData: () => ({ kind: KIND, ...getData() }),
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    });
  }, [ref, isEnabled, getData]);
  return isDragging;
};

/** Accepts dragged pins. @returns whether pins are over it. */
export const useDropTarget = (
  ref: RefObject<HTMLElement | null>,
  target: DropTarget,
  onDrop: (dragged: Dragged, target: DropTarget) => void,
): boolean => {
  const [isOver, setOver] = useState(false);
  const accepts = useStableCallback((data: Record<string | symbol, unknown>): boolean => {
    const dragged = readDragged(data);
    return dragged !== null && !(dragged.isDraft && target.kind === "drafts");
  });
  const drop = useStableCallback((data: Record<string | symbol, unknown>) => {
    const dragged = readDragged(data);
    setOver(false);
    if (dragged) onDrop(dragged, target);
  });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => accepts(source.data),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => drop(source.data),
    });
  }, [ref, accepts, drop]);
  return isOver;
};

"use client";

import { useEffect, useState } from "react";
import { useStable } from "./use-stable.ts";

/** Name of the attribute by which a row is found again. */
const ROW = "data-row";

const rowOf = (target: EventTarget | null): string | undefined =>
  (target instanceof Element && target.closest(`[${ROW}]`)?.getAttribute(ROW)) || undefined;

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes("Files") ?? false;

/**
 * Files that are dropped or pasted anywhere on the page, with the key of the row that they met. Without this the
 * browser would leave the page for a file that missed. @returns whether files hang over the page.
 */
export const useDroppedFiles = (onFiles: (files: File[], rowKey?: string) => void): boolean => {
  const [isOver, setOver] = useState(false);
  const tell = useStable(onFiles);

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const take = (event: Event, data: DataTransfer | null) => {
      setOver(false);
      if (!hasFiles(data)) return;
      event.preventDefault();
      const files = [...data.files];
      if (files.length > 0) tell(files, rowOf(event.target));
    };
    const drop = (event: DragEvent) => take(event, event.dataTransfer);
    const paste = (event: ClipboardEvent) => take(event, event.clipboardData);
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  }, [tell]);
  return isOver;
};

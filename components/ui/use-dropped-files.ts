"use client";

import { useEffect, useState } from "react";
import { useStableCallback } from "./use-stable-callback.ts";

const ROW = "data-row";

const rowOf = (target: EventTarget | null): string | undefined =>
  (target instanceof Element && target.closest(`[${ROW}]`)?.getAttribute(ROW)) || undefined;

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes("Files") ?? false;

/**
 * Receives files dropped or pasted anywhere on the page, with the key of the row under them. Otherwise the browser would
 * navigate to a dropped file. @returns whether files are being dragged over the page
 */
export const useDroppedFiles = (onFiles: (files: File[], rowKey?: string) => void): boolean => {
  const [isOver, setOver] = useState(false);
  const notify = useStableCallback(onFiles);

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const receive = (event: Event, data: DataTransfer | null) => {
      setOver(false);
      if (!hasFiles(data)) return;
      event.preventDefault();
      const files = [...data.files];
      if (files.length > 0) notify(files, rowOf(event.target));
    };
    const drop = (event: DragEvent) => receive(event, event.dataTransfer);
    const paste = (event: ClipboardEvent) => receive(event, event.clipboardData);
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
  }, [notify]);
  return isOver;
};

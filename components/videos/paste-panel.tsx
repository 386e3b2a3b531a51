"use client";

import FileUp from "lucide-react/icons/file-up";
import ScanSearch from "lucide-react/icons/scan-search";
import { type ClipboardEvent, type FormEvent, useId, useRef, useState, useSyncExternalStore } from "react";
import { ProgressBar } from "#components/shared/progress-bar.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import type { Progress } from "#components/videos/use-reader.ts";
import { VIDEO_TEXTS } from "#components/videos/video-texts.ts";
import {
  PAGE_MAX_BYTES,
  type Paste,
  type Pasted,
  pastedText,
  sizeText,
  usePasteContext,
} from "./extractor-context.tsx";

type PastePanelProps = {
  isReading: boolean;
  progress: Progress;
  onExtract: (pasted: Pasted) => void;
  onCancel: () => void;
};

function ReadingBar({ progress, onCancel }: Pick<PastePanelProps, "progress" | "onCancel">) {
  const percent = Math.round(useSyncExternalStore(progress.subscribe, progress.now, progress.now) * 100);
  return (
    <div className="flex items-center gap-3.5">
      <ProgressBar label="Reading page" value={percent} className="flex-1" />
      <Button size="sm" variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

/** A long paste is only previewed, so that the text area stays fast. */
const shownIn = ({ pasted }: Paste): string => {
  if (pasted.kind === "typed") return pasted.html;
  return pasted.preview === "" ? "" : `${pasted.preview}…`;
};

function FileChooser({ onFile }: { onFile: (file: File) => void }) {
  const id = useId();
  return (
    <label
      className={buttonClass({
        className:
          "cursor-pointer has-focus-visible:outline-[2.5px] has-focus-visible:outline-solid has-focus-visible:outline-focus has-focus-visible:outline-offset-3",
      })}
      htmlFor={id}
    >
      <FileUp aria-hidden="true" />
      Choose a file
      <input
        id={id}
        type="file"
        className="sr-only"
        accept=".html,.htm,.xhtml,.txt,.json,text/html"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) onFile(file);
          event.target.value = "";
        }}
      />
    </label>
  );
}

/** Takes page HTML by paste, file or typing. */
export function PastePanel({ isReading, progress, onExtract, onCancel }: PastePanelProps) {
  const paste = usePasteContext();
  const { pasted, isEmpty, problem } = paste;
  const field = useRef<HTMLTextAreaElement>(null);
  const submitButton = useRef<HTMLButtonElement>(null);
  const [isCanceled, setCanceled] = useState(false);
  const isAttached = pasted.kind === "attached";
  const isOver = useDroppedFiles(([file]) => file && paste.takeFile(file));
  const takePaste = (event: ClipboardEvent) => {
    if (paste.takeText(event.clipboardData.getData("text"))) event.preventDefault();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEmpty || isReading) return;
    setCanceled(false);
    onExtract(pasted);
  };
  // The Cancel button disappears, so the focus returns to the start button.
  const cancel = () => {
    onCancel();
    setCanceled(true);
    submitButton.current?.focus();
  };
  const clear = () => {
    // Also cancels reading, so that no videos of a cleared page appear.
    onCancel();
    paste.clear();
    field.current?.focus();
  };
  return (
    <form
      className={cn(
        "rounded-card bg-surface shadow-card grid gap-3.5 p-5",
        isOver && "outline-2 outline-dashed outline-accent -outline-offset-6",
      )}
      aria-label="TikTok page to extract videos from"
      onSubmit={submit}
    >
      <TextAreaField
        isCode
        ref={field}
        label="Page HTML"
        className={cn(
          "min-h-33 max-h-[50dvh] overflow-auto wrap-anywhere",
          "[&[readonly]]:bg-well [&[readonly]]:text-ink-2",
        )}
        rows={5}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        placeholder={isAttached ? pasted.name : "Paste the page source here, or drop a saved .html file"}
        value={shownIn(paste)}
        readOnly={isAttached}
        error={problem ?? undefined}
        onPaste={takePaste}
        onChange={(event) => paste.type(event.target.value)}
      />
      <div className="flex flex-wrap items-center justify-between gap-y-3 gap-x-5">
        <p
          className={cn(
            "flex-[1_1_240px] min-w-0 text-xs/[1.45] text-ink-3 wrap-anywhere",
            "[&>b]:font-[550] [&>b]:text-ink-2 num",
          )}
          role="status"
        >
          {isEmpty ? (
            `Your browser reads the page. It isn't uploaded. Up to ${sizeText(PAGE_MAX_BYTES).replace(".0", "")}.`
          ) : (
            <>
              {isAttached && <b>{pasted.name}, </b>}
              {pastedText(pasted)}
            </>
          )}
        </p>
        <div
          className={cn(
            "flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:flex-1 max-md:[&>*]:min-h-11",
            "max-md:[&>:last-child]:basis-full",
          )}
        >
          {!isEmpty && (
            <Button variant="quiet" onClick={clear} aria-label="Clear the page">
              Clear
            </Button>
          )}
          <FileChooser onFile={paste.takeFile} />
          <Button
            ref={submitButton}
            type="submit"
            variant="primary"
            disabled={isEmpty}
            isBusy={isReading}
            busyLabel={VIDEO_TEXTS.extracting}
          >
            <ScanSearch aria-hidden="true" />
            {VIDEO_TEXTS.extract}
          </Button>
        </div>
      </div>
      <p className="sr-only" role="status">
        {isCanceled && !isReading && "Reading canceled"}
      </p>
      {isReading && <ReadingBar progress={progress} onCancel={cancel} />}
    </form>
  );
}

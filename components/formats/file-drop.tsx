import { type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";

type FileDropProps = {
  label: string;
  hint: string;
  icon: ReactNode;
  accept: string;
  isMultiple?: boolean;
  isDisabled: boolean;
  isOver?: boolean;
  error?: string;
  onFiles: (files: File[]) => void;
};

/** A frame that opens a file dialog. Dropped files are received by the page. */
export function FileDrop(props: FileDropProps) {
  const { label, hint, icon, accept, isMultiple = false, isDisabled, isOver = false, error, onFiles } = props;
  const noteId = useId();
  return (
    <div className="grid gap-1.5">
      <label
        className={cn(
          "flex min-h-16.5 cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-4 py-3 text-sm",
          "border-[1.5px] border-dashed hover:border-accent hover:bg-hover",
          "focus-within:outline-[2.5px] focus-within:outline-offset-3 focus-within:outline-focus focus-within:outline-solid",
          isOver ? "border-accent bg-hover" : error ? "border-failed" : "border-control",
        )}
      >
        {icon}
        <b className="font-semibold text-ink">{label}</b>
        <span className="text-xs text-ink-3">{hint}</span>
        <input
          type="file"
          className="sr-only"
          accept={accept}
          multiple={isMultiple}
          disabled={isDisabled}
          aria-describedby={error ? noteId : undefined}
          aria-invalid={error ? true : undefined}
          onChange={({ target }) => {
            onFiles([...(target.files ?? [])]);
            // Allows choosing the same file again after it was fixed.
            target.value = "";
          }}
        />
      </label>
      {error && (
        <FieldNote id={noteId} role="alert" isError>
          {error}
        </FieldNote>
      )}
    </div>
  );
}

import { cva } from "class-variance-authority";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

/** Attributes that connect a control with the hint and error of its `Field`. */
type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

/** Classes of a label, also for the legend of a group of fields. */
export const LABEL = "text-sm/[1.3] font-[550] text-ink";

const note = cva("text-xs/[1.45]", {
  variants: { isError: { true: "font-medium text-failed-ink", false: "text-ink-3" } },
});

type FieldNoteProps = ComponentProps<"p"> & { isError?: boolean };

/** A hint or an error below a control. */
export function FieldNote({ isError = false, className, ...rest }: FieldNoteProps) {
  return <p data-slot={isError ? "field-error" : "field-note"} className={note({ isError, className })} {...rest} />;
}

type FieldProps = {
  /** Id of the control; the ids of hint and error derive from it. */
  id: string;
  label: ReactNode;
  /** Shows the label to screen readers only. */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  error?: string;
  /** Shown to the right of the label, such as a link or a counter. */
  aside?: ReactNode;
  /** Id of another element that describes the field. */
  describedBy?: string;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

/** A labeled form field with an optional hint or error. */
export function Field(props: FieldProps) {
  const { id, label, isLabelHidden, hint, error, aside, describedBy, className, children } = props;
  const noteId = error || hint ? `${id}-note` : undefined;
  return (
    <div className={cn("grid content-start gap-1.5", className)}>
      <div className={isLabelHidden && !aside ? "contents" : "flex items-baseline justify-between gap-3"}>
        <label data-slot="label" className={isLabelHidden ? "sr-only" : LABEL} htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      {children({
        id,
        "aria-describedby": [noteId, describedBy].filter(Boolean).join(" ") || undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {(error || hint) && (
        <FieldNote id={noteId} isError={Boolean(error)}>
          {error || hint}
        </FieldNote>
      )}
    </div>
  );
}

import type { ComponentProps, MouseEvent } from "react";
import { type ButtonStyle, buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { Spinner } from "#components/ui/spinner.tsx";

type ButtonProps = ComponentProps<"button"> &
  ButtonStyle & {
    /** Shows a spinner at the same width and ignores clicks, but stays focusable. */
    isBusy?: boolean;
    /** Label while busy. Without it the spinner replaces the label. */
    busyLabel?: string;
  };

function blockClick(event: MouseEvent): void {
  event.preventDefault();
}

/** A button. `type` defaults to `button`. */
export function Button(props: ButtonProps) {
  const { variant, size, className, isBusy = false, busyLabel, type = "button", children, onClick, ...rest } = props;
  const classes = buttonClass({ variant, size, className });
  if (!isBusy) {
    return (
      <button data-slot="button" type={type} className={classes} onClick={onClick} {...rest}>
        {children}
      </button>
    );
  }
  return (
    <button
      data-slot="button"
      {...rest}
      type={type}
      className={cn(classes, "relative")}
      aria-busy="true"
      aria-disabled="true"
      onClick={blockClick}
    >
      {busyLabel ? (
        <>
          <Spinner />
          {busyLabel}
        </>
      ) : (
        <>
          <span className="inline-flex items-center gap-2 opacity-0">{children}</span>
          <Spinner className="absolute" />
        </>
      )}
    </button>
  );
}

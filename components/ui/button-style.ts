import { cn } from "#components/ui/cn.ts";

/** One primary per view. `danger-quiet` opens a question, `danger` answers it, `band` stands on the schedule bar. */
export type ButtonVariant = "primary" | "secondary" | "quiet" | "danger" | "danger-quiet" | "band";

/** 34, 42 and 54 px high. */
export type ButtonSize = "sm" | "md" | "lg";

export type ButtonLook = { variant?: ButtonVariant; size?: ButtonSize; className?: string };

/** The classes of a button, for the elements that look like one. */
export function buttonClass({ variant = "secondary", size = "md", className }: ButtonLook): string {
  return cn("btn", `btn-${variant}`, size !== "md" && `btn-${size}`, className);
}

import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";

/** Classes of a checkbox without a label. */
export const CHECKBOX = cn(
  "grid size-5 flex-none appearance-none place-items-center rounded-[6px] border border-control bg-surface",
  "transition-[background-color] duration-(--dur-hover) ease-out checked:border-accent checked:bg-accent",
  "after:-mt-[3px] after:h-1.5 after:w-[11px] after:-rotate-45 after:border-b-2 after:border-l-2 after:border-on-accent",
  "after:opacity-0 after:content-[''] checked:after:opacity-100",
);

type CheckboxProps = Omit<ComponentProps<"input">, "type"> & {
  label: ReactNode;
  /** Aligns the box with the first of several lines. */
  isTopAligned?: boolean;
};

/** A checkbox with a label; the whole line is clickable. */
export function Checkbox({ label, isTopAligned, id, className, ...rest }: CheckboxProps) {
  const generatedId = useId();
  return (
    <label
      htmlFor={id ?? generatedId}
      className={cn(
        "flex min-h-(--target-min) gap-2.5 text-sm text-ink-2",
        isTopAligned ? "items-start" : "items-center",
        className,
      )}
    >
      <input id={id ?? generatedId} type="checkbox" className={CHECKBOX} {...rest} />
      {label}
    </label>
  );
}

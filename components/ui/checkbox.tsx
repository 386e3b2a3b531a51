import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";

type CheckboxProps = Omit<ComponentProps<"input">, "type"> & { label: ReactNode };

/** A checkbox and its word. */
export function Checkbox({ label, id, className, ...rest }: CheckboxProps) {
  const generatedId = useId();
  return (
    <label htmlFor={id ?? generatedId} className={cn("check-row", className)}>
      <input id={id ?? generatedId} type="checkbox" className="checkbox" {...rest} />
      {label}
    </label>
  );
}

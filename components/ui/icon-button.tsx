import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> &
  Omit<ButtonLook, "size"> & {
    /** The accessible name, also shown as the tooltip. */
    label: string;
  };

/** A 34 px button that is only an icon; its touch target is 44 px. */
export function IconButton({ label, variant = "quiet", className, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={cn(buttonClass({ variant, className }), "btn-icon")}
      {...rest}
    />
  );
}

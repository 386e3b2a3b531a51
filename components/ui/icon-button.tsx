import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "#components/ui/button-style.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> &
  Pick<ButtonLook, "variant"> & {
    /** The accessible name, also shown as the tooltip. */
    label: string;
  };

/** A 34 px button that is only an icon; its touch target is 44 px. */
export function IconButton({ label, variant = "quiet", className, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      data-slot="button"
      type={type}
      aria-label={label}
      title={label}
      className={buttonClass({ variant, size: "icon", className })}
      {...rest}
    />
  );
}

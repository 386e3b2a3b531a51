import type { ComponentProps } from "react";
import { type ButtonStyle, buttonClass } from "#components/ui/button-style.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> &
  Pick<ButtonStyle, "variant"> & {
    /** The accessible name, also shown as the tooltip. */
    label: string;
  };

/** A 34 px icon button with a 44 px touch target. */
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

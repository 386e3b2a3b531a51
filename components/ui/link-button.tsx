import Link from "next/link";
import type { ComponentProps } from "react";
import { type ButtonStyle, buttonClass } from "#components/ui/button-style.ts";

/** A link that looks like a button. */
export function LinkButton({ variant, size, className, ...rest }: ComponentProps<typeof Link> & ButtonStyle) {
  return <Link data-slot="button" className={buttonClass({ variant, size, className })} {...rest} />;
}

import Link from "next/link";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "#components/ui/button-style.ts";

/** A link that looks like a button: it goes somewhere, it does not do something. */
export function LinkButton({ variant, size, className, ...rest }: ComponentProps<typeof Link> & ButtonLook) {
  return <Link data-slot="button" className={buttonClass({ variant, size, className })} {...rest} />;
}

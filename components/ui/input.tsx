import { cva } from "class-variance-authority";
import type { ComponentProps } from "react";

/** Classes shared by input, textarea and select. */
export const inputClass = cva(
  [
    "w-full border border-control bg-surface text-ink",
    "transition-[border-color] duration-(--dur-hover) ease-out placeholder:text-ink-3 placeholder:opacity-100",
    "rounded-control hover:not-disabled:border-ink-3 focus-visible:outline-offset-1",
    "aria-invalid:border-failed aria-invalid:shadow-[inset_0_0_0_1px_var(--failed)]",
    "inactive:cursor-not-allowed inactive:border-line-2 inactive:bg-well inactive:text-ink-2",
    // iOS zooms into fields with text under 16 px.
    "max-md:text-[1rem]",
  ],
  {
    variants: {
      kind: {
        line: "flex min-h-(--h-control) items-center gap-2.5 px-[13px] text-ui",
        password: "flex min-h-(--h-control) items-center pr-12 pl-[13px] text-ui",
        search: [
          "flex min-h-(--h-control) items-center pr-11 pl-[38px] text-ui text-ellipsis",
          "[&::-webkit-search-cancel-button]:hidden",
        ],
        select: "flex min-h-(--h-control) appearance-none items-center pr-[38px] pl-[13px] text-ui text-ellipsis",
        area: "block min-h-(--h-control) resize-y px-[13px] py-2.5 text-ui leading-normal",
        code: "block resize-y px-[13px] py-2.5 font-mono text-xs leading-normal",
      },
    },
    defaultVariants: { kind: "line" },
  },
);

/** A one-line input without a label, for use in a `Field`. */
export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input data-slot="input" className={inputClass({ className })} {...rest} />;
}

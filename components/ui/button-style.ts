import { cva, type VariantProps } from "class-variance-authority";

const ICON_MD = "[&>svg]:size-[17px] [&>svg]:flex-none";

/**
 * Classes of a button, also for links that look like one. `danger-quiet` and `danger-ghost` open a confirmation,
 * `danger` confirms it, `band` is for the dark schedule bar, `inherit` takes its banner's color.
 */
export const buttonClass = cva(
  [
    "inline-flex items-center justify-center border font-[550] whitespace-nowrap no-underline",
    "transition-[background-color,border-color,color,translate] duration-(--dur-hover) ease-out",
    "active:not-disabled:not-aria-disabled:translate-y-px aria-busy:cursor-progress",
    "inactive:cursor-not-allowed inactive:text-ink-3 inactive:shadow-none",
  ],
  {
    variants: {
      variant: {
        primary: [
          "border-transparent bg-accent text-on-accent hover:bg-accent-hover active:bg-accent-press",
          "shadow-[inset_0_1px_0_hsl(0_0%_100%/0.13),0_1px_2px_hsl(var(--shc)/0.2)]",
          "inactive:border-line-2 inactive:bg-well",
        ],
        secondary: [
          "border-line-2 bg-surface text-ink shadow-[0_1px_1px_hsl(var(--shc)/0.04)] hover:bg-hover",
          "inactive:bg-well",
        ],
        quiet: "border-transparent text-ink-2 hover:bg-hover inactive:bg-transparent",
        inherit: "border-transparent text-inherit hover:bg-surface inactive:bg-transparent",
        "danger-quiet": [
          "border-line-2 bg-surface text-failed-ink hover:border-failed-line hover:bg-failed-tint",
          "inactive:border-line-2 inactive:bg-well",
        ],
        "danger-ghost": "border-transparent text-failed-ink hover:bg-hover inactive:bg-transparent",
        danger: [
          "border-transparent bg-failed-ink text-failed-tint",
          "hover:bg-[color-mix(in_oklab,var(--failed-ink)_88%,var(--ink))] inactive:border-line-2 inactive:bg-well",
        ],
        band: [
          "border-transparent bg-band-ink text-(--green-900) hover:bg-(--paper-0)",
          "inactive:border-line-2 inactive:bg-well",
        ],
      },
      /** 34, 42 and 54 px high. An icon button is 34 px with a 44 px touch target. */
      size: {
        sm: "min-h-(--h-control-sm) gap-1.5 rounded-[8px] px-3 text-sm/none [&>svg]:size-[15px] [&>svg]:flex-none",
        md: ["min-h-(--h-control) gap-2 rounded-control text-ui/none", ICON_MD],
        lg: ["min-h-[54px] gap-2 rounded-[12px] px-6.5 text-[1.0625rem]/none", ICON_MD],
        icon: [
          "relative min-h-[34px] w-[34px] rounded-[8px] text-ui/none",
          "after:absolute after:-inset-[6px] after:content-[''] aria-pressed:bg-accent-tint aria-pressed:text-accent-ink",
          ICON_MD,
        ],
      },
    },
    compoundVariants: [
      { variant: ["quiet", "inherit", "danger-ghost"], size: "md", class: "px-3" },
      { variant: ["primary", "secondary", "danger-quiet", "danger", "band"], size: "md", class: "px-4.5" },
    ],
    defaultVariants: { variant: "secondary", size: "md" },
  },
);

export type ButtonStyle = Omit<VariantProps<typeof buttonClass>, "size"> & { size?: "sm" | "md" | "lg" };

/** A button within a line of text: 24 px high, with a larger touch target on phones. */
export const WORD_TARGET =
  "relative min-h-6 max-md:after:absolute max-md:after:-inset-x-1 max-md:after:-top-3.5 max-md:after:-bottom-1.5 max-md:after:content-['']";

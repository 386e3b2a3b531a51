import { cva } from "class-variance-authority";
import { type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { LABEL } from "#components/ui/field.tsx";

const track = cva("grid auto-cols-fr grid-flow-col gap-[3px] rounded-control border p-[3px]", {
  variants: { tone: { plain: "border-line-2 bg-well", band: "border-band-2 bg-band-raised max-md:min-w-full" } },
});

const choice = cva(
  [
    "relative flex items-center justify-center gap-1.5 rounded-[6px] px-2.5 text-center text-sm/[1.2] font-medium",
    "transition-[background-color] duration-(--dur-hover) ease-out has-checked:font-semibold",
    "has-focus-visible:outline-[2.5px] has-focus-visible:outline-offset-3 has-disabled:cursor-not-allowed",
  ],
  {
    variants: {
      tone: {
        plain: [
          "min-h-(--h-control-sm) text-ink-2 has-checked:bg-raised has-checked:text-ink",
          "has-checked:shadow-[0_0_0_1px_var(--line-2),0_1px_2px_hsl(var(--shc)/0.1)] has-focus-visible:outline-focus",
        ],
        band: [
          "min-h-8 text-band-ink has-checked:bg-band-ink has-checked:text-band",
          "has-focus-visible:outline-band-2 max-md:min-h-11",
        ],
      },
    },
  },
);

type SegmentOption<V extends string | number> = { value: V; label: ReactNode };

type SegmentProps<V extends string | number> = {
  label: string;
  options: readonly SegmentOption<V>[];
  value: V | undefined;
  onChange: (value: V) => void;
  /** `band` is for the dark schedule bar. */
  tone?: "plain" | "band";
  isLabelHidden?: boolean;
  disabled?: boolean;
  className?: string;
};

/** A choice between two to four options, built from native radio buttons. */
export function Segment<V extends string | number>(props: SegmentProps<V>) {
  const { label, options, value, onChange, tone = "plain", isLabelHidden, disabled, className } = props;
  const name = useId();
  return (
    <fieldset className={cn("grid min-w-0 content-start gap-1.5", className)} disabled={disabled}>
      <legend className={isLabelHidden ? "sr-only" : cn(LABEL, "mb-1.5")}>{label}</legend>
      <span data-slot="segment" className={track({ tone })}>
        {options.map((option) => (
          <label key={option.value} data-slot="segment-option" className={choice({ tone })}>
            <input
              type="radio"
              className="absolute inset-0 size-full appearance-none outline-none"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className="pointer-events-none relative">{option.label}</span>
          </label>
        ))}
      </span>
    </fieldset>
  );
}

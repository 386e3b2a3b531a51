import { type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";

type SegmentOption<V extends string> = { value: V; label: ReactNode };

type SegmentProps<V extends string> = {
  label: string;
  options: readonly SegmentOption<V>[];
  /** Undefined while nothing is chosen. */
  value: V | undefined;
  onChange: (value: V) => void;
  isLabelHidden?: boolean;
  disabled?: boolean;
  className?: string;
};

/** A choice between two or three: a real radio group, so arrow keys work without code. */
export function Segment<V extends string>(props: SegmentProps<V>) {
  const { label, options, value, onChange, isLabelHidden, disabled, className } = props;
  const name = useId();
  return (
    <fieldset className={cn("grid min-w-0 content-start gap-1.5", className)} disabled={disabled}>
      <legend className={cn("label mb-1.5", isLabelHidden && "sr-only")}>{label}</legend>
      <span className="segment">
        {options.map((option) => (
          <label key={option.value} className="segment-option">
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

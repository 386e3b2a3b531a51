import ChevronDown from "lucide-react/icons/chevron-down";
import { type ComponentProps, type ReactNode, useId } from "react";
import { Field } from "#components/ui/field.tsx";
import { inputClass } from "#components/ui/input.tsx";

type SelectFieldProps = ComponentProps<"select"> & {
  label: ReactNode;
  /** Shows the label to screen readers only. */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  error?: string;
  fieldClassName?: string;
};

/** A native select with label, hint and error. Its children are `<option>`s. */
export function SelectField(props: SelectFieldProps) {
  const { label, isLabelHidden, hint, error, id, className, fieldClassName, ...rest } = props;
  const generatedId = useId();
  return (
    <Field
      id={id ?? generatedId}
      label={label}
      isLabelHidden={isLabelHidden}
      hint={hint}
      error={error}
      className={fieldClassName}
    >
      {(control) => (
        <span className="relative block">
          <select data-slot="input" className={inputClass({ kind: "select", className })} {...rest} {...control} />
          <ChevronDown
            aria-hidden="true"
            size={16}
            className="pointer-events-none absolute right-3 top-1/2 -translate-y-1/2 text-ink-3"
          />
        </span>
      )}
    </Field>
  );
}

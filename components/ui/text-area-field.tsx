import { type ComponentProps, type ReactNode, useId } from "react";
import { Field } from "#components/ui/field.tsx";
import { inputClass } from "#components/ui/input.tsx";

type TextAreaFieldProps = ComponentProps<"textarea"> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  aside?: ReactNode;
  /** Monospaced, for source code. */
  isCode?: boolean;
};

/** A textarea with label, hint and error. */
export function TextAreaField({ label, hint, error, aside, isCode, id, className, ...rest }: TextAreaFieldProps) {
  const generatedId = useId();
  return (
    <Field id={id ?? generatedId} label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <textarea
          data-slot="input"
          className={inputClass({ kind: isCode ? "code" : "area", className })}
          {...rest}
          {...control}
        />
      )}
    </Field>
  );
}

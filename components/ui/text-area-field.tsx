import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "#components/ui/cn.ts";
import { Field } from "#components/ui/field.tsx";

type TextAreaFieldProps = ComponentProps<"textarea"> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  aside?: ReactNode;
};

/** Several lines of text with label, hint and error. */
export function TextAreaField({ label, hint, error, aside, id, className, ...rest }: TextAreaFieldProps) {
  const generatedId = useId();
  return (
    <Field id={id ?? generatedId} label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <textarea className={cn("input block py-2.5 leading-normal resize-y", className)} {...rest} {...control} />
      )}
    </Field>
  );
}

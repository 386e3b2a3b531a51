import { type ComponentProps, type ReactNode, useId } from "react";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";

type TextFieldProps = ComponentProps<"input"> & {
  label: ReactNode;
  /** Shows the label to screen readers only. */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  error?: string;
  aside?: ReactNode;
  /** Classes of the whole field; `className` is for the input. */
  fieldClassName?: string;
};

/** A one-line text field with label, hint and error. */
export function TextField(props: TextFieldProps) {
  const { label, isLabelHidden, hint, error, aside, id, className, fieldClassName, ...rest } = props;
  const generatedId = useId();
  return (
    <Field
      id={id ?? generatedId}
      label={label}
      isLabelHidden={isLabelHidden}
      hint={hint}
      error={error}
      aside={aside}
      className={fieldClassName}
    >
      {(control) => <Input className={className} {...rest} {...control} />}
    </Field>
  );
}

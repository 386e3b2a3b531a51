"use client";

import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { Field } from "#components/ui/field.tsx";
import { inputClass } from "#components/ui/input.tsx";

type PasswordFieldProps = Omit<ComponentProps<"input">, "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  aside?: ReactNode;
  /** Id of another element that describes the field. */
  describedBy?: string;
};

/** A password field with a button that shows the password. */
export function PasswordField(props: PasswordFieldProps) {
  const { label, hint, error, aside, describedBy, id, className, ...rest } = props;
  const generatedId = useId();
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field id={id ?? generatedId} label={label} hint={hint} error={error} aside={aside} describedBy={describedBy}>
      {(control) => (
        <span className="relative block">
          <input
            data-slot="input"
            className={inputClass({ kind: "password", className })}
            autoCapitalize="none"
            spellCheck={false}
            {...rest}
            {...control}
            type={isShown ? "text" : "password"}
          />
          <button
            type="button"
            className="absolute right-1 top-1/2 grid size-[34px] -translate-y-1/2 place-items-center rounded-[7px] text-ink-3 hover:text-ink"
            aria-label={isShown ? "Hide password" : "Show password"}
            aria-controls={control.id}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon aria-hidden="true" size={17} strokeWidth={1.7} />
          </button>
        </span>
      )}
    </Field>
  );
}

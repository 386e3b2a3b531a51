"use client";

import { useId, useState } from "react";
import { PasswordRules } from "#components/identity/password-rules.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";

type NewPasswordFieldsProps = {
  /** The form's names of the two fields. */
  names: { password: string; confirmation: string };
  errors: { password: string | undefined; confirmation: string | undefined };
};

/** The labels of the two fields. */
export const NEW_PASSWORD_LABELS = { password: "New password", confirmation: "Confirm new password" } as const;

/** A new password, twice, with its rules ticked off in between. */
export function NewPasswordFields({ names, errors }: NewPasswordFieldsProps) {
  const [password, setPassword] = useState("");
  const rulesId = useId();
  return (
    <>
      <div className="grid gap-2.5">
        <PasswordField
          label={NEW_PASSWORD_LABELS.password}
          name={names.password}
          autoComplete="new-password"
          error={errors.password}
          describedBy={rulesId}
          onInput={(event) => setPassword(event.currentTarget.value)}
          required
        />
        <PasswordRules id={rulesId} password={password} />
      </div>
      <PasswordField
        label={NEW_PASSWORD_LABELS.confirmation}
        name={names.confirmation}
        autoComplete="new-password"
        error={errors.confirmation}
        required
      />
    </>
  );
}

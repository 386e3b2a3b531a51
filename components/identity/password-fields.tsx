"use client";

import Check from "lucide-react/icons/check";
import Dot from "lucide-react/icons/dot";
import { useId, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { PasswordField } from "#components/ui/password-field.tsx";
import { PASSWORD_RULES, passwordStrength } from "#lib/features/identity/policy.ts";

type PasswordRulesProps = {
  /** Id for the field's `aria-describedby`. */
  id: string;
  password: string;
};

/** The rules of a new password, checked off while typing. */
function PasswordRules({ id, password }: PasswordRulesProps) {
  return (
    <ul id={id} className="grid gap-1 text-xs text-ink-3" aria-label="Password requirements">
      {PASSWORD_RULES.map(({ key, label, holds }) => {
        const isMet = holds(password);
        const Icon = isMet ? Check : Dot;
        return (
          <li key={key} data-met={isMet} className="flex items-start gap-1.5 data-[met=true]:text-published-ink">
            <Icon aria-hidden="true" size={15} strokeWidth={2.2} className="mt-px flex-none" />
            <span>
              {label}
              <span className="sr-only">{isMet ? " (done)" : " (missing)"}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type NewPasswordFieldsProps = {
  /** Names of the two fields in the form. */
  names: { password: string; confirmation: string };
  errors: { password: string | undefined; confirmation: string | undefined };
};

export const NEW_PASSWORD_LABELS = { password: "New password", confirmation: "Confirm new password" } as const;

/** Fields for a new password and its confirmation, with the rules in between. */
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

const PARTS = [1, 2, 3, 4] as const;

/** Shows a password's strength; it never blocks the form. */
export function PasswordStrengthHint({ password }: { password: string }) {
  if (!password) return "At least 8 characters";
  const { score, label } = passwordStrength(password);
  return (
    <span className="flex items-center gap-2.5">
      <span className="grid grid-cols-[repeat(4,28px)] gap-1" data-score={score} aria-hidden="true">
        {PARTS.map((part) => (
          <i
            key={part}
            data-filled={score >= part}
            className={cn("h-1 rounded-[2px]", score < part ? "bg-line-2" : score <= 2 ? "bg-low" : "bg-published")}
          />
        ))}
      </span>
      <span>
        <span className="sr-only">Password strength: </span>
        {label}
      </span>
    </span>
  );
}

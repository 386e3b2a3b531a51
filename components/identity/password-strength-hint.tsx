import { passwordStrength } from "#lib/features/identity/policy.ts";

const PARTS = [1, 2, 3, 4] as const;

/** Says how strong a password is. It never blocks. */
export function PasswordStrengthHint({ password }: { password: string }) {
  if (!password) return "At least 8 characters";
  const { score, label } = passwordStrength(password);
  return (
    <span className="flex items-center gap-2.5">
      <span className="strength" data-score={score} aria-hidden="true">
        {PARTS.map((part) => (
          <i key={part} data-filled={score >= part} />
        ))}
      </span>
      <span>
        <span className="sr-only">Password strength: </span>
        {label}
      </span>
    </span>
  );
}

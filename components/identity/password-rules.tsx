import Check from "lucide-react/icons/check";
import Dot from "lucide-react/icons/dot";
import { PASSWORD_RULES } from "#lib/features/identity/policy.ts";

type PasswordRulesProps = {
  /** For the field's `aria-describedby`. */
  id: string;
  password: string;
};

/** The rules of a new password, ticked off while it is typed (R-RPW-02). */
export function PasswordRules({ id, password }: PasswordRulesProps) {
  return (
    <ul id={id} className="grid gap-1 text-xs text-ink-3" aria-label="The password needs">
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

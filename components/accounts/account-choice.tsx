import type { ReactNode } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";

/** `timeZone`: its own; without one it has its user's. */
export type AccountOption = { id: string; username: string; timeZone?: string | null };

type AccountChoiceProps = {
  accounts: AccountOption[];
  value: string | null;
  onChange: (accountId: string) => void;
  isLabelHidden?: boolean;
  disabled?: boolean;
  error?: string;
};

/** Chooses one of the connected accounts. */
export function AccountChoice({ accounts, value, onChange, isLabelHidden, disabled, error }: AccountChoiceProps) {
  if (accounts.length === 0) return null;
  return (
    <SelectField
      label="Account"
      isLabelHidden={isLabelHidden}
      value={value ?? ""}
      disabled={disabled}
      error={error}
      onChange={(event) => onChange(event.target.value)}
      fieldClassName={isLabelHidden ? "w-full sm:w-60" : undefined}
    >
      {value === null && <option value="">Choose an account</option>}
      {accounts.map((account) => (
        <option key={account.id} value={account.id}>
          {account.username}
        </option>
      ))}
    </SelectField>
  );
}

/** Empty state for users without a connected account. */
export function NoAccount({ children }: { children: ReactNode }) {
  return (
    <EmptyState
      title="No accounts connected yet"
      action={
        <LinkButton variant="primary" href="/app">
          Connect Account
        </LinkButton>
      }
    >
      {children}
    </EmptyState>
  );
}

"use client";

import { type ComponentType, createContext, type ReactNode, use, useCallback, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { confirmByPasswordAction } from "#lib/features/identity/actions.ts";
import type { ConfirmationMethod } from "#lib/features/identity/constants.ts";

type MethodProps = { onConfirmed: () => void; onCancel: () => void };

const LABELS = { password: "Password" } as const;
const FIELDS = ["password"] as const;

function ByPassword({ onConfirmed, onCancel }: MethodProps) {
  const form = useForm<"password">({
    fields: FIELDS,
    check: ({ password }) => (password ? {} : { password: "Enter your password" }),
    send: async ({ password }) => {
      const result = await callAction(confirmByPasswordAction({ password }));
      if (result.ok) onConfirmed();
      return outcomeOfAction(result, FIELDS);
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Confirm with your password" {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending}>
        <PasswordField
          label={LABELS.password}
          name="password"
          autoComplete="current-password"
          error={form.errors.password}
          required
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  );
}

/** How each method is used. */
const METHODS: Record<ConfirmationMethod, ComponentType<MethodProps>> = { password: ByPassword };

type ActionCall<T> = () => Promise<ActionResult<T>>;
type Run = <T>(call: ActionCall<T>) => Promise<ActionResult<T>>;

const RunContext = createContext<Run | null>(null);

/**
 * Calls a server action. When the server wants to know first that it's the user, asks them, and then calls it again.
 * After a cancellation the result has the code `confirm_identity`.
 */
export function useConfirmedAction(): Run {
  const run = use(RunContext);
  if (!run) throw new Error("useConfirmedAction needs <ConfirmIdentity> around it.");
  return run;
}

type ConfirmIdentityProps = { methods: readonly ConfirmationMethod[]; children: ReactNode };

/** The dialog that asks users to confirm that it's them, for all actions inside. */
export function ConfirmIdentity({ methods, children }: ConfirmIdentityProps) {
  const [settle, setSettle] = useState<((isConfirmed: boolean) => void) | null>(null);

  function end(isConfirmed: boolean): void {
    settle?.(isConfirmed);
    setSettle(null);
  }

  const run = useCallback(async <T,>(call: ActionCall<T>): Promise<ActionResult<T>> => {
    const result = await callAction(call());
    if (result.ok || result.code !== "confirm_identity") return result;
    const isConfirmed = await new Promise<boolean>((resolve) => setSettle(() => resolve));
    return isConfirmed ? callAction(call()) : result;
  }, []);

  return (
    <RunContext value={run}>
      {children}
      <Dialog
        isOpen={settle !== null}
        onClose={() => end(false)}
        title="Confirm that it's you"
        description={
          methods.length > 0
            ? "You won't be asked again for 10 minutes."
            : "To confirm that it's you, sign out and sign in again."
        }
      >
        {methods.map((method) => {
          const Method = METHODS[method];
          return <Method key={method} onConfirmed={() => end(true)} onCancel={() => end(false)} />;
        })}
      </Dialog>
    </RunContext>
  );
}

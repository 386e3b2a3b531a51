"use client";

import { type ComponentType, createContext, type ReactNode, use, useCallback, useState } from "react";
import { useLogout } from "#components/identity/logout-button.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { confirmByPasswordAction } from "#lib/features/identity/actions.ts";
import { confirmWithCodeAction } from "#lib/features/sign-in/actions.ts";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { CODE_FIELDS, checkCode } from "#lib/features/sign-in/policy.ts";

type MethodProps = { onConfirmed: () => void; onCancel: () => void };

const PASSWORD_LABELS = { password: "Password" } as const;
const PASSWORD_FIELDS = ["password"] as const;
const CODE_LABELS = { code: "Code" } as const;

function MethodActions({ isBusy, onCancel }: { isBusy: boolean; onCancel: () => void }) {
  return (
    <DialogActions>
      <Button variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant="primary" isBusy={isBusy}>
        Confirm
      </Button>
    </DialogActions>
  );
}

function ByPassword({ onConfirmed, onCancel }: MethodProps) {
  const form = useForm<"password">({
    fields: PASSWORD_FIELDS,
    check: ({ password }) => (password ? {} : { password: "Enter your password" }),
    send: async ({ password }) => {
      const result = await callAction(confirmByPasswordAction({ password }));
      if (result.ok) onConfirmed();
      return outcomeOfAction(result, PASSWORD_FIELDS);
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Confirm with your password" {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={PASSWORD_LABELS} />
      <fieldset disabled={form.isSending}>
        <PasswordField
          label={PASSWORD_LABELS.password}
          name="password"
          autoComplete="current-password"
          error={form.errors.password}
          required
        />
      </fieldset>
      <MethodActions isBusy={form.isSending} onCancel={onCancel} />
    </form>
  );
}

function ByCode({ onConfirmed, onCancel }: MethodProps) {
  const form = useForm<"code">({
    fields: CODE_FIELDS,
    check: checkCode,
    send: async ({ code }) => {
      const result = await callAction(confirmWithCodeAction({ code }));
      if (result.ok) onConfirmed();
      return outcomeOfAction(result, CODE_FIELDS);
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Confirm with a code" {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={CODE_LABELS} />
      <fieldset disabled={form.isSending}>
        <TextField
          label={CODE_LABELS.code}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          hint="From your authenticator app, or a recovery code."
          error={form.errors.code}
          required
        />
      </fieldset>
      <MethodActions isBusy={form.isSending} onCancel={onCancel} />
    </form>
  );
}

const NO_FIELDS = [] as const;

function ByPasskey({ onConfirmed, onCancel }: MethodProps) {
  const form = useForm<never>({
    fields: NO_FIELDS,
    check: () => ({}),
    notLoaded: "We couldn't load this. Please try again.",
    send: async () => {
      const { confirmWithPasskey } = await import("./passkey-calls.ts");
      const outcome = await confirmWithPasskey();
      if (outcome.kind === "done") onConfirmed();
      return outcome;
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Confirm with a passkey" {...form.bind}>
      <FormSummary problem={form.problem} errors={form.errors} labels={{}} />
      <p className="text-ui">Your browser will ask for your fingerprint, face, or device PIN.</p>
      <MethodActions isBusy={form.isSending} onCancel={onCancel} />
    </form>
  );
}

/** How each method is used, and how it is offered next to another. */
const METHODS: Record<ConfirmationMethod, { Form: ComponentType<MethodProps>; offer: string }> = {
  passkey: { Form: ByPasskey, offer: "Use a passkey" },
  password: { Form: ByPassword, offer: "Use your password" },
  code: { Form: ByCode, offer: "Use a code" },
};

type ActionCall<T> = () => Promise<ActionResult<T>>;
export type Run = <T>(call: ActionCall<T>) => Promise<ActionResult<T>>;

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
  const [chosen, setChosen] = useState<ConfirmationMethod | null>(null);
  const [settle, setSettle] = useState<((isConfirmed: boolean) => void) | null>(null);

  function end(isConfirmed: boolean): void {
    settle?.(isConfirmed);
    setSettle(null);
    setChosen(null);
  }

  const run = useCallback(async <T,>(call: ActionCall<T>): Promise<ActionResult<T>> => {
    const result = await callAction(call());
    if (result.ok || result.code !== "confirm_identity") return result;
    const isConfirmed = await new Promise<boolean>((resolve) => setSettle(() => resolve));
    return isConfirmed ? callAction(call()) : result;
  }, []);

  const { isLeaving, logOut } = useLogout();
  const method = chosen ?? methods[0];
  const Form = method && METHODS[method].Form;
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
        {!Form && (
          <DialogActions>
            <Button variant="quiet" onClick={() => end(false)}>
              Cancel
            </Button>
            <Button variant="primary" isBusy={isLeaving} onClick={logOut}>
              Sign out
            </Button>
          </DialogActions>
        )}
        {Form && <Form key={method} onConfirmed={() => end(true)} onCancel={() => end(false)} />}
        {methods.length > 1 && (
          <p className="mt-4 flex flex-wrap gap-x-5 gap-y-2">
            {methods
              .filter((other) => other !== method)
              .map((other) => (
                <button key={other} type="button" className="link text-sm" onClick={() => setChosen(other)}>
                  {METHODS[other].offer}
                </button>
              ))}
          </p>
        )}
      </Dialog>
    </RunContext>
  );
}

"use client";

import Link from "next/link";
import { useState } from "react";
import { AuthAside, AuthHeader } from "#components/identity/auth-copy.tsx";
import { useTimedRedirect } from "#components/identity/use-timed-redirect.ts";
import { Button } from "#components/ui/button.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { api } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { refusedCall } from "#lib/client/form-outcome.ts";
import { resetPasswordFormAction } from "#lib/features/identity/actions.ts";
import { RESET_REDIRECT_MS } from "#lib/features/identity/constants.ts";
import { checkNewPassword, NEW_PASSWORD_FIELDS, type NewPassword } from "#lib/features/identity/policy.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { NEW_PASSWORD_LABELS, NewPasswordFields } from "./password-fields.tsx";

const LABELS: Record<keyof NewPassword, string> = {
  newPassword: NEW_PASSWORD_LABELS.password,
  confirmPassword: NEW_PASSWORD_LABELS.confirmation,
};

/** Sets a new password with the token of an emailed link. */
export function ResetPasswordForm({ token }: { token: string }) {
  const [isDone, setDone] = useState(false);
  useTimedRedirect(isDone, "/login", RESET_REDIRECT_MS);
  const form = useForm<keyof NewPassword>({
    fields: NEW_PASSWORD_FIELDS,
    check: checkNewPassword,
    action: resetPasswordFormAction,
    send: async ({ newPassword }, signal) => {
      try {
        await api.post("/api/users/password-reset-confirm/", { token, new_password: newPassword }, { signal });
        // All logins were ended, including this browser's.
        clearToken();
        setDone(true);
        return { kind: "leaving" };
      } catch (error) {
        return refusedCall(error, TEXTS.resetFailed);
      }
    },
  });

  if (isDone || form.answer?.isDone) {
    return (
      <>
        <FocusedHeading className="screen-title">Your password has been changed</FocusedHeading>
        <p className="mt-2.5 mb-8 text-ink-2" role="status">
          You've been signed out on all devices. {isDone && "Taking you to sign in…"}
        </p>
        <LinkButton href="/login" variant="primary">
          {TEXTS.backToLogin}
        </LinkButton>
      </>
    );
  }
  return (
    <>
      <AuthHeader title="Choose a new password">You'll be signed out on all your devices.</AuthHeader>
      <form className="grid gap-[18px]" {...form.bind}>
        <input type="hidden" name="token" value={token} />
        <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending} className="grid gap-[18px]">
          <NewPasswordFields
            names={{ password: "newPassword", confirmation: "confirmPassword" }}
            errors={{ password: form.errors.newPassword, confirmation: form.errors.confirmPassword }}
          />
        </fieldset>
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={form.isSending}>
          Change password
        </Button>
      </form>
      <AuthAside>
        Link not working?{" "}
        <Link className="link" href="/forgot-password">
          {TEXTS.requestNewLink}
        </Link>
      </AuthAside>
    </>
  );
}

"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { AuthAside } from "#components/identity/auth-copy.tsx";
import { PasskeyButton } from "#components/identity/passkey-sign-in.tsx";
import { Button } from "#components/ui/button.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { LOGIN_TEXTS } from "#lib/features/identity/fields.ts";
import { verifyFormAction } from "#lib/features/sign-in/actions.ts";
import { RECOVERY_CODE_DIGITS } from "#lib/features/sign-in/constants.ts";
import { CODE_FIELDS, checkCode } from "#lib/features/sign-in/policy.ts";

const LABELS = { code: "Code" } as const;

/** `/login` with the page to open after signing in. */
function useLoginPath(): string {
  const [search, setSearch] = useState("");
  useEffect(() => setSearch(location.search), []);
  return `/login${search}`;
}

/** The second step of a sign-in: a code from the authenticator app, or a recovery code, in the same field. */
export function VerifyForm() {
  const router = useRouter();
  const notice = useNotice();
  const loginPath = useLoginPath();
  const form = useForm<"code">({
    fields: CODE_FIELDS,
    check: checkCode,
    action: verifyFormAction,
    notLoaded: LOGIN_TEXTS.loginFailed,
    send: async ({ code }, signal) => {
      notice.close();
      const { sendCode, takeRememberedPath } = await import("./verify-call.ts");
      const outcome = await sendCode(code);
      if (outcome.kind === "leaving" && !signal.aborted) {
        notice.success(LOGIN_TEXTS.loggedIn);
        router.replace(takeRememberedPath());
      }
      return outcome;
    },
  });

  return (
    <>
      <form className="grid gap-[18px]" {...form.bind}>
        <FormSummary problem={form.errors.code ? undefined : form.problem} errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending} className="grid gap-2.5">
          <TextField
            label={LABELS.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            hint="The 6 digits that your authenticator app shows for this account."
            {...form.control("code")}
            required
          />
          <details className="text-sm text-ink-3">
            <summary className="link w-fit cursor-pointer">Use a recovery code</summary>
            <p className="mt-2">
              Enter one of your {RECOVERY_CODE_DIGITS}-digit recovery codes in the same field. Each one works once. If
              you have none left,{" "}
              <Link className="link" href="/contact-us">
                contact us
              </Link>
              .
            </p>
          </details>
        </fieldset>
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={form.isSending}>
          Continue
        </Button>
      </form>
      <PasskeyButton onProblem={notice.error}>Use a passkey instead</PasskeyButton>
      <AuthAside>
        Need to use another account?{" "}
        <Link className="link" href={loginPath}>
          Start over
        </Link>
      </AuthAside>
    </>
  );
}

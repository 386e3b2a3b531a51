"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { PasskeyButton, useOfferedPasskeys } from "#components/identity/passkey-sign-in.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { getToken } from "#lib/client/browser-storage.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { isTokenExchangePaused } from "#lib/client/session-state.ts";
import { checkLogin, LOGIN_FIELDS, LOGIN_TEXTS } from "#lib/features/identity/fields.ts";
import { loginFormAction } from "#lib/features/sign-in/actions.ts";
import { VERIFY_PATH } from "#lib/features/sign-in/constants.ts";

const SUCCESS_MAX = 200;

/** The `success` parameter as bounded plain text, or ''. */
function successTextOf(search: URLSearchParams): string {
  const raw = search.get("success") ?? "";
  return raw
    .replace(/[\p{Cc}\p{Cf}]/gu, " ")
    .trim()
    .slice(0, SUCCESS_MAX);
}

/**
 * Shows a `success` text once, and exchanges a stored token for the session cookie before continuing to the
 * remembered path. An invalid token is removed, which prevents redirect loops.
 * @returns whether an exchange is in progress
 */
function useLoginGate(): boolean {
  const [isContinuing, setIsContinuing] = useState(false);
  const router = useRouter();
  const notice = useNotice();

  useEffect(
    () =>
      editQuery((search) => {
        const text = successTextOf(search);
        search.delete("success");
        if (text) notice.success(text);
      }),
    [notice],
  );

  useEffect(() => {
    if (getToken() === null || isTokenExchangePaused()) return;
    const controller = new AbortController();
    setIsContinuing(true);
    import("./login-calls.ts")
      .then(async ({ exchangeToken, takeRememberedPath }) => {
        await exchangeToken(controller.signal);
        router.replace(takeRememberedPath());
      })
      // The form still works without the exchange.
      .catch(() => controller.signal.aborted || setIsContinuing(false));
    return () => controller.abort();
  }, [router]);

  return isContinuing;
}

const LABELS = { email: "Email", password: "Password" } as const;

/** The login form. */
export function LoginForm() {
  const isContinuing = useLoginGate();
  useOfferedPasskeys();
  const router = useRouter();
  const notice = useNotice();
  const form = useForm<keyof typeof LABELS>({
    fields: LOGIN_FIELDS,
    check: checkLogin,
    action: loginFormAction,
    problemOf: () => LOGIN_TEXTS.fillAllFields,
    onRefused: (problem) => notice.error(problem ?? LOGIN_TEXTS.loginFailed),
    notLoaded: LOGIN_TEXTS.loginFailed,
    send: async (values, signal) => {
      notice.close();
      const { sendLogin, takeRememberedPath } = await import("./login-calls.ts");
      const { needsCode, ...outcome } = await sendLogin(values);
      if (outcome.kind !== "leaving" || signal.aborted) return outcome;
      // The remembered path stays for the next page.
      if (needsCode) router.push(`${VERIFY_PATH}${location.search}`);
      else {
        notice.success(LOGIN_TEXTS.loggedIn);
        router.replace(takeRememberedPath());
      }
      return outcome;
    },
  });

  return (
    <>
      {isContinuing && (
        <Banner tone="success" isAnnounced className="mb-5">
          You're already signed in. Taking you back…
        </Banner>
      )}
      <form className="grid gap-[18px]" {...form.bind}>
        <FormSummary problem={form.answerMessage} errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending} className="grid gap-[18px]">
          <TextField label="Email" type="email" autoComplete="username webauthn" {...form.control("email")} required />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            {...form.control("password")}
            aside={
              <Link className="link text-sm" href="/forgot-password">
                Forgot your password?
              </Link>
            }
            required
          />
          {/* Has no effect. */}
          <Checkbox label="Remember me" name="remember" />
        </fieldset>
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={form.isSending}>
          Sign in
        </Button>
      </form>
      <PasskeyButton onProblem={notice.error}>Sign in with a passkey</PasskeyButton>
    </>
  );
}

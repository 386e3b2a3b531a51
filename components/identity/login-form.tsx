"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
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
import { isExchangePaused } from "#lib/client/session-state.ts";
import { loginFormAction } from "#lib/features/identity/actions.ts";
import { checkLogin, LOGIN_FIELDS, LOGIN_TEXTS } from "#lib/features/identity/fields.ts";

const SUCCESS_MAX = 200;

/** The plain text of the `success` parameter, bounded, without control characters; '' when there is none. */
function successTextOf(search: URLSearchParams): string {
  const raw = search.get("success") ?? "";
  return raw
    .replace(/[\p{Cc}\p{Cf}]/gu, " ")
    .trim()
    .slice(0, SUCCESS_MAX);
}

/**
 * What /login does by itself: shows a `success` text once (R-LOGIN-08), and exchanges a stored token for the session
 * cookie, then goes on to the remembered path (DESIGN §7). A dead token is removed, so nothing goes round in circles.
 *
 * @returns whether an exchange is under way
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
    if (getToken() === null || isExchangePaused()) return;
    const controller = new AbortController();
    setIsContinuing(true);
    import("./login-calls.ts")
      .then(async ({ exchangeToken, takeRememberedPath }) => {
        await exchangeToken(controller.signal);
        router.replace(takeRememberedPath());
      })
      // The form is left, which works without the exchange.
      .catch(() => controller.signal.aborted || setIsContinuing(false));
    return () => controller.abort();
  }, [router]);

  return isContinuing;
}

const LABELS = { email: "Email", password: "Password" } as const;

/** Log in (R-LOGIN-01..08). */
export function LoginForm() {
  const isContinuing = useLoginGate();
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
      const outcome = await sendLogin(values);
      if (outcome.kind === "leaving" && !signal.aborted) {
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
          You are logged in already. Taking you back…
        </Banner>
      )}
      <form className="grid gap-[18px]" {...form.bind}>
        <FormSummary problem={form.answered} errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending} className="grid gap-[18px]">
          <TextField label="Email" type="email" autoComplete="username" {...form.control("email")} required />
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
          {/* R-LOGIN-02, A-44: stored token and session are the same either way. */}
          <Checkbox label="Remember me" name="remember" />
        </fieldset>
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={form.isSending}>
          Sign in
        </Button>
      </form>
    </>
  );
}

"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useLoginGate } from "#components/identity/use-login-gate.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { TEXTS } from "#lib/features/identity/constants.ts";

const FIELDS = ["email", "password"] as const;
const LABELS = { email: "Email", password: "Password" } as const;

/** Log in (R-LOGIN-01..08). */
export function LoginForm() {
  const isContinuing = useLoginGate();
  const router = useRouter();
  const notice = useNotice();
  const form = useForm<keyof typeof LABELS>({
    fields: FIELDS,
    check: ({ email, password }) => ({
      ...(!email.trim() && { email: "Email is required" }),
      ...(!password && { password: "Password is required" }),
    }),
    problemOf: () => TEXTS.fillAllFields,
    onRefused: (problem) => notice.error(problem ?? TEXTS.loginFailed),
    notLoaded: TEXTS.loginFailed,
    send: async (values, signal) => {
      notice.close();
      const { sendLogin, takeRememberedPath } = await import("#components/identity/login-calls.ts");
      const outcome = await sendLogin(values);
      if (outcome.kind === "leaving" && !signal.aborted) {
        notice.success(TEXTS.loggedIn);
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
        <FormSummary errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending} className="grid gap-[18px]">
          <TextField
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            error={form.errors.email}
            required
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            error={form.errors.password}
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

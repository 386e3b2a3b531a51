"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useTimedRedirect } from "#components/identity/use-timed-redirect.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { registerFormAction } from "#lib/features/identity/actions.ts";
import { REGISTER_REDIRECT_MS } from "#lib/features/identity/constants.ts";
import { checkRegistration, REGISTER_FIELDS, type RegisterField } from "#lib/features/identity/policy.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { PasswordStrengthHint } from "./password-fields.tsx";

const LABELS: Record<RegisterField, string> = {
  first_name: "First name",
  last_name: "Last name",
  username: "Username",
  email: "Email",
  password: "Password",
  confirmPassword: "Confirm password",
};

/** The registration form. `children` are shown below the button. */
export function RegisterForm({ children }: { children: ReactNode }) {
  const [isRegistered, setRegistered] = useState(false);
  const [password, setPassword] = useState("");
  const notice = useNotice();
  useTimedRedirect(isRegistered, "/login", REGISTER_REDIRECT_MS);
  const form = useForm<RegisterField>({
    fields: REGISTER_FIELDS,
    check: checkRegistration,
    action: registerFormAction,
    problemOf: () => TEXTS.fixForm,
    onRefused: (problem) => notice.error(problem ?? TEXTS.registrationFailed),
    notLoaded: TEXTS.registrationFailed,
    send: async (values) => {
      notice.close();
      const { sendRegistration } = await import("#components/identity/register-call.ts");
      return sendRegistration(values, (message) => {
        setRegistered(true);
        notice.success(message);
      });
    },
  });

  if (form.answer?.isDone) {
    return (
      <Banner tone="success" isAnnounced>
        {form.answer.message}{" "}
        <Link className="link" href="/login">
          Sign in
        </Link>
      </Banner>
    );
  }
  return (
    <form className="grid gap-[18px]" {...form.bind}>
      <FormSummary problem={form.answerMessage} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <TextField label={LABELS.first_name} {...form.control("first_name")} autoComplete="given-name" required />
          <TextField label={LABELS.last_name} {...form.control("last_name")} autoComplete="family-name" required />
        </div>
        <TextField
          label={LABELS.username}
          {...form.control("username")}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextField label={LABELS.email} {...form.control("email")} type="email" autoComplete="email" required />
        <PasswordField
          label={LABELS.password}
          {...form.control("password")}
          autoComplete="new-password"
          hint={<PasswordStrengthHint password={password} />}
          onInput={(event) => setPassword(event.currentTarget.value)}
          required
        />
        <PasswordField
          label={LABELS.confirmPassword}
          {...form.control("confirmPassword")}
          autoComplete="new-password"
          required
        />
      </fieldset>
      <div className="mt-1 grid gap-3">
        <Button type="submit" variant="primary" size="lg" className="w-full" isBusy={form.isSending}>
          Create account
        </Button>
        {children}
      </div>
    </form>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { fieldErrorsOf, focusFirstError, textOf } from "#components/identity/form-errors.ts";
import { useLoginGate } from "#components/identity/use-login-gate.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ApiError, api, describeAuthFailure, setToken, takeRememberedPath } from "#lib/client/api.ts";
import { TEXTS } from "#lib/features/identity/constants.ts";

const FIELDS = ["email", "password"] as const;
type LoginErrors = Partial<Record<(typeof FIELDS)[number], string>>;

function findEmpty(email: string, password: string): LoginErrors {
  return {
    ...(email ? {} : { email: "Email is required" }),
    ...(password ? {} : { password: "Password is required" }),
  };
}

/** Log in (R-LOGIN-01..08). */
export function LoginForm() {
  const [errors, setErrors] = useState<LoginErrors>({});
  const [isSending, setIsSending] = useState(false);
  const isContinuing = useLoginGate();
  const router = useRouter();
  const notice = useNotice();

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const email = textOf(data, "email").trim();
    const password = textOf(data, "password");
    const empty = findEmpty(email, password);
    setErrors(empty);
    if (Object.keys(empty).length > 0) {
      focusFirstError(form, FIELDS, empty);
      notice.error(TEXTS.fillAllFields);
      return;
    }
    notice.close();
    setIsSending(true);
    try {
      const { accessToken } = await api.post<{ accessToken: string }>("/api/users/login/", { email, password });
      setToken(accessToken);
      notice.success(TEXTS.loggedIn);
      router.replace(takeRememberedPath());
    } catch (error) {
      setIsSending(false);
      setErrors(error instanceof ApiError ? fieldErrorsOf(error.body, FIELDS) : {});
      notice.error(describeAuthFailure(error, TEXTS.loginFailed));
    }
  }

  return (
    <>
      {isContinuing && (
        <Banner tone="success" isAnnounced className="mb-5">
          You are logged in already. Taking you back…
        </Banner>
      )}
      <form method="post" className="grid gap-[18px]" noValidate onSubmit={submit} onInput={() => setErrors({})}>
        <TextField label="Email" name="email" type="email" autoComplete="username" error={errors.email} required />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          error={errors.password}
          required
        />
        {/* R-LOGIN-02, A-44: stored token and session are the same either way. */}
        <Checkbox label="Remember me" name="remember" />
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={isSending}>
          Sign in
        </Button>
      </form>
    </>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { fieldErrorsOf, focusFirstError, textOf } from "#components/identity/form-errors.ts";
import { PasswordStrengthHint } from "#components/identity/password-strength-hint.tsx";
import { Button } from "#components/ui/button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ApiError, api, describeAuthFailure } from "#lib/client/api.ts";
import { REGISTER_REDIRECT_MS, TEXTS } from "#lib/features/identity/constants.ts";
import {
  checkRegistration,
  REGISTER_FIELDS,
  type RegisterErrors,
  type RegisterField,
  type RegisterValues,
} from "#lib/features/identity/policy.ts";

type Phase = "editing" | "sending" | "registered";

function readValues(form: HTMLFormElement): RegisterValues {
  const data = new FormData(form);
  const text = (field: RegisterField) => textOf(data, field);
  return {
    first_name: text("first_name"),
    last_name: text("last_name"),
    username: text("username"),
    email: text("email"),
    password: text("password"),
    confirmPassword: text("confirmPassword"),
  };
}

/** Register (R-REG-01..16). The rules are checked here and again on the server. */
export function RegisterForm() {
  const [errors, setErrors] = useState<RegisterErrors>({});
  const [phase, setPhase] = useState<Phase>("editing");
  const [password, setPassword] = useState("");
  const formRef = useRef<HTMLFormElement>(null);
  const router = useRouter();
  const notice = useNotice();

  useEffect(() => {
    if (phase !== "registered") return;
    const timer = setTimeout(() => router.push("/login"), REGISTER_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [phase, router]);

  function showErrors(found: RegisterErrors): void {
    setErrors(found);
    if (formRef.current) focusFirstError(formRef.current, REGISTER_FIELDS, found);
  }

  /** A field that was wrong is looked at again with every key; one that was right is left alone until the next submit. */
  function recheck(event: FormEvent<HTMLFormElement>): void {
    if (Object.keys(errors).length === 0) return;
    const now = checkRegistration(readValues(event.currentTarget));
    setErrors((before) => Object.fromEntries(Object.entries(now).filter(([field]) => field in before)));
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (phase !== "editing") return;
    const values = readValues(event.currentTarget);
    const found = checkRegistration(values);
    if (Object.keys(found).length > 0) {
      showErrors(found);
      notice.error(TEXTS.fixForm);
      return;
    }
    notice.close();
    setPhase("sending");
    try {
      const answer = await api.post<{ message?: string }>("/api/users/register/", values);
      setErrors({});
      setPhase("registered");
      notice.success(answer?.message || TEXTS.registeredFallback);
    } catch (error) {
      setPhase("editing");
      showErrors(error instanceof ApiError ? fieldErrorsOf(error.body, REGISTER_FIELDS) : {});
      notice.error(describeAuthFailure(error, TEXTS.registrationFailed));
    }
  }

  return (
    <form ref={formRef} method="post" className="grid gap-[18px]" noValidate onSubmit={submit} onInput={recheck}>
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField label="First name" name="first_name" autoComplete="given-name" error={errors.first_name} required />
        <TextField label="Last name" name="last_name" autoComplete="family-name" error={errors.last_name} required />
      </div>
      <TextField
        label="Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username}
        required
      />
      <TextField label="Email" name="email" type="email" autoComplete="email" error={errors.email} required />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="new-password"
        error={errors.password}
        hint={<PasswordStrengthHint password={password} />}
        onInput={(event) => setPassword(event.currentTarget.value)}
        required
      />
      <PasswordField
        label="Confirm password"
        name="confirmPassword"
        autoComplete="new-password"
        error={errors.confirmPassword}
        required
      />
      <div className="mt-1 grid gap-3">
        <Button type="submit" variant="primary" size="lg" className="w-full" isBusy={phase !== "editing"}>
          Create account
        </Button>
        <p className="text-center text-xs text-ink-3">By creating an account you confirm that you are 18 or over.</p>
      </div>
    </form>
  );
}

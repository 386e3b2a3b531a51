"use client";

import Link from "next/link";
import { useState } from "react";
import { flushSync } from "react-dom";
import { AuthAside, AuthHeader } from "#components/identity/auth-copy.tsx";
import { Button } from "#components/ui/button.tsx";
import { focusFirst } from "#components/ui/focus-first.ts";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { requestResetFormAction } from "#lib/features/identity/actions.ts";
import { checkResetRequest, resetSentText } from "#lib/features/identity/policy.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

const FIELDS = ["email"] as const;
const LABELS = { email: "Email" } as const;

/** Requests a reset link. Shows the same result for every address. */
export function ForgotPasswordForm() {
  const form = useForm<"email">({
    fields: FIELDS,
    check: checkResetRequest,
    action: requestResetFormAction,
    notLoaded: TEXTS.resetFailedToSend,
    send: async (values, signal) => {
      const email = values.email.trim();
      const { requestResetEmail } = await import("#components/identity/forgot-password-call.ts");
      const outcome = await requestResetEmail(email, signal);
      if (outcome.kind === "done") setSentTo(email);
      return outcome;
    },
  });

  // The initial state after a submission without JavaScript.
  const [sentTo, setSentTo] = useState<string | null>(form.answer?.isDone ? (form.answer.values.email ?? "") : null);

  function tryAnother(): void {
    flushSync(() => setSentTo(null));
    focusFirst(form.bind.ref.current);
  }

  if (sentTo !== null)
    return <CheckYourEmail email={sentTo} onAnother={form.answer?.isDone ? undefined : tryAnother} />;
  return (
    <>
      <AuthHeader title="Forgot your password?">
        Enter your email and we'll send you a link to choose a new one.
      </AuthHeader>
      <form className="grid gap-[18px]" {...form.bind}>
        <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
        <fieldset disabled={form.isSending}>
          <TextField label={LABELS.email} type="email" autoComplete="username" {...form.control("email")} required />
        </fieldset>
        <Button type="submit" variant="primary" size="lg" className="mt-1 w-full" isBusy={form.isSending}>
          Send reset link
        </Button>
      </form>
      <AuthAside>
        Remembered it?{" "}
        <Link className="link" href="/login">
          Sign in
        </Link>
      </AuthAside>
    </>
  );
}

/** `onAnother` is omitted after a submission without JavaScript, where a link is used instead. */
function CheckYourEmail({ email, onAnother }: { email: string; onAnother?: () => void }) {
  return (
    <>
      <FocusedHeading className="screen-title">{TEXTS.resetSentTitle}</FocusedHeading>
      <p className="mt-2.5 text-ink-2 wrap-anywhere">{resetSentText(email)}</p>
      <p className="mt-4 text-sm text-ink-3">
        The link works once and expires in an hour. If it doesn't arrive within a few minutes, check your spam folder.
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        <LinkButton href="/login" variant="primary">
          {TEXTS.backToLogin}
        </LinkButton>
        {onAnother ? (
          <Button onClick={onAnother}>{TEXTS.tryAnotherEmail}</Button>
        ) : (
          <LinkButton href="/forgot-password">{TEXTS.tryAnotherEmail}</LinkButton>
        )}
      </div>
    </>
  );
}

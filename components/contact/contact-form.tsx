"use client";

import { useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "#components/ui/button.tsx";
import { focusFirst } from "#components/ui/focus-first.ts";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { type Form, useForm } from "#components/ui/use-form.ts";
import { contactFormAction } from "#lib/features/contact/actions.ts";
import { CONTACT_FIELDS, type ContactField, checkContact, TEXTS } from "#lib/features/contact/policy.ts";

const LABELS: Record<ContactField, string> = {
  name: "Name",
  email: "Email",
  subject: "Subject",
  message: "Message",
};

/** The contact form. */
export function ContactForm() {
  const form: Form<ContactField> = useForm<ContactField>({
    fields: CONTACT_FIELDS,
    check: checkContact,
    action: contactFormAction,
    notLoaded: TEXTS.failed,
    send: async (values, signal) => {
      const { sendMessage } = await import("#components/contact/contact-call.ts");
      return sendMessage(values, signal, setSent);
    },
  });

  // The initial state after a submission without JavaScript.
  const [sent, setSent] = useState<string | null>(form.answer?.isDone ? (form.answer.message ?? "") : null);

  function writeAnother(): void {
    flushSync(() => setSent(null));
    focusFirst(form.bind.ref.current);
  }

  if (sent !== null) {
    return (
      <div className="rounded-card bg-surface shadow-card p-[clamp(22px,3vw,36px)]">
        <FocusedHeading className="title-2" level={2}>
          Your message is on its way
        </FocusedHeading>
        <p className="mt-3 text-ink-2" role="status">
          {sent}
        </p>
        {form.answer?.isDone ? (
          <LinkButton className="mt-6" href="/contact-us">
            Send another message
          </LinkButton>
        ) : (
          <Button className="mt-6" onClick={writeAnother}>
            Send another message
          </Button>
        )}
      </div>
    );
  }
  return (
    <form
      className="rounded-card bg-surface shadow-card grid gap-[18px] p-[clamp(22px,3vw,36px)]"
      aria-label="Contact"
      {...form.bind}
    >
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <TextField label={LABELS.name} {...form.control("name")} autoComplete="name" required />
          <TextField label={LABELS.email} {...form.control("email")} type="email" autoComplete="email" required />
        </div>
        <TextField label={LABELS.subject} {...form.control("subject")} autoComplete="off" required />
        <TextAreaField label={LABELS.message} {...form.control("message")} rows={8} required />
      </fieldset>
      <Button type="submit" variant="primary" size="lg" className="mt-1 justify-self-start" isBusy={form.isSending}>
        Send message
      </Button>
    </form>
  );
}

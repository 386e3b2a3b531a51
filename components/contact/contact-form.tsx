"use client";

import { useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "#components/ui/button.tsx";
import { focusFirst } from "#components/ui/focus-first.ts";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { CONTACT_FIELDS, type ContactField, checkContact, TEXTS } from "#lib/features/contact/policy.ts";

const LABELS: Record<ContactField, string> = {
  name: "Name",
  email: "Email",
  subject: "Subject",
  message: "Message",
};

/** Writes to support (R-CONT-01..04). */
export function ContactForm() {
  const [sent, setSent] = useState<string | null>(null);
  const form = useForm<ContactField>({
    fields: CONTACT_FIELDS,
    check: checkContact,
    notLoaded: TEXTS.failed,
    send: async (values, signal) => {
      const { sendMessage } = await import("#components/contact/contact-call.ts");
      return sendMessage(values, signal, setSent);
    },
  });
  const { errors } = form;

  function writeAnother(): void {
    flushSync(() => setSent(null));
    focusFirst(form.bind.ref.current);
  }

  if (sent !== null) {
    return (
      <div className="card p-[clamp(22px,3vw,36px)]">
        <FocusedHeading className="title-2" level={2}>
          Your message is on its way
        </FocusedHeading>
        <p className="mt-3 text-ink-2" role="status">
          {sent}
        </p>
        <Button className="mt-6" onClick={writeAnother}>
          Write another message
        </Button>
      </div>
    );
  }
  return (
    <form className="card grid gap-[18px] p-[clamp(22px,3vw,36px)]" aria-label="Contact" {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <TextField label={LABELS.name} name="name" autoComplete="name" error={errors.name} required />
          <TextField
            label={LABELS.email}
            name="email"
            type="email"
            autoComplete="email"
            error={errors.email}
            required
          />
        </div>
        <TextField label={LABELS.subject} name="subject" autoComplete="off" error={errors.subject} required />
        <TextAreaField label={LABELS.message} name="message" rows={8} error={errors.message} required />
      </fieldset>
      <Button type="submit" variant="primary" size="lg" className="mt-1 justify-self-start" isBusy={form.isSending}>
        Send message
      </Button>
    </form>
  );
}

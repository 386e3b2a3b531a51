"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { callAction } from "#lib/client/call-action.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { cancelEmailChangeAction, requestEmailChangeAction } from "#lib/features/identity/actions.ts";
import { checkEmail } from "#lib/features/identity/policy.ts";

const LABELS = { email: "New email", password: "Current password" } as const;
const FIELDS = ["email", "password"] as const;

function EmailForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const form = useForm<keyof typeof LABELS>({
    fields: FIELDS,
    check: ({ email, password }) => {
      const wrong = checkEmail(email.trim());
      return {
        ...(wrong && { email: wrong }),
        ...(!password && { password: "Please enter your current password" }),
      };
    },
    send: async ({ email, password }) => {
      const answer = await callAction(requestEmailChangeAction({ email: email.trim(), password }));
      if (answer.ok) {
        router.refresh();
        onClose();
      }
      return outcomeOfAction(answer, FIELDS);
    },
  });
  const { errors } = form;
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Change e-mail" {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <TextField label={LABELS.email} name="email" type="email" autoComplete="email" error={errors.email} required />
        <PasswordField
          label={LABELS.password}
          name="password"
          autoComplete="current-password"
          error={errors.password}
          required
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Send the link
        </Button>
      </DialogActions>
    </form>
  );
}

function PendingChange({ email }: { email: string }) {
  const [isBusy, setBusy] = useState(false);
  const router = useRouter();

  async function cancel(): Promise<void> {
    setBusy(true);
    const answer = await callAction(cancelEmailChangeAction({}));
    setBusy(false);
    showToast(answer.ok ? "Your e-mail stays as it is" : answer.text, { hasCheck: answer.ok });
    router.refresh();
  }

  return (
    <Banner
      className="mt-4 items-center"
      action={
        <Button size="sm" isBusy={isBusy} onClick={cancel}>
          Cancel the change
        </Button>
      }
    >
      <span role="status">
        Please confirm <b className="font-semibold text-ink">{email}</b> with the link we sent there. Until then nothing
        changes.
      </span>
    </Banner>
  );
}

type EmailSettingProps = {
  email: string;
  isVerified: boolean;
  /** The address that waits for its confirmation. */
  pendingEmail: string | null;
};

/** Shows the address and changes it, once the new one has confirmed. */
export function EmailSetting({ email, isVerified, pendingEmail }: EmailSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="wrap-anywhere">{email}</span>
        {isVerified ? (
          <Chip tone="published" icon={<CircleCheck aria-hidden="true" />}>
            Confirmed
          </Chip>
        ) : (
          <Chip tone="draft" icon={<CircleDashed aria-hidden="true" />}>
            Not confirmed yet
          </Chip>
        )}
      </p>
      <Button onClick={() => setOpen(true)}>Change e-mail</Button>
      {pendingEmail && <PendingChange email={pendingEmail} />}
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Change your e-mail"
        description="The new address gets a link to confirm it, the old one a note that it was asked for."
      >
        <EmailForm onClose={close} />
      </Dialog>
    </>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { NEW_PASSWORD_LABELS, NewPasswordFields } from "#components/identity/new-password-fields.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { callAction } from "#lib/client/call-action.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { changePasswordAction } from "#lib/features/identity/actions.ts";
import { checkNewPassword } from "#lib/features/identity/policy.ts";

const LABELS = {
  currentPassword: "Current password",
  newPassword: NEW_PASSWORD_LABELS.password,
  confirmPassword: NEW_PASSWORD_LABELS.confirmation,
} as const;
const FIELDS = ["currentPassword", "newPassword", "confirmPassword"] as const;

function endedText(endedLogins: number): string {
  if (endedLogins === 0) return "Your password is changed";
  return `Your password is changed, ${endedLogins} other ${endedLogins === 1 ? "login has" : "logins have"} ended`;
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const form = useForm<keyof typeof LABELS>({
    fields: FIELDS,
    check: (values) => ({
      ...(!values.currentPassword && { currentPassword: "Please enter your current password" }),
      ...checkNewPassword(values),
    }),
    send: async ({ currentPassword, newPassword }) => {
      const answer = await callAction(changePasswordAction({ currentPassword, newPassword }));
      if (answer.ok) {
        showToast(endedText(answer.value.endedLogins), { hasCheck: true });
        router.refresh();
        onClose();
      }
      return outcomeOfAction(answer, FIELDS);
    },
  });
  const { errors } = form;
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Change password" {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
        <PasswordField
          label={LABELS.currentPassword}
          name="currentPassword"
          autoComplete="current-password"
          error={errors.currentPassword}
          required
        />
        <NewPasswordFields
          names={{ password: "newPassword", confirmation: "confirmPassword" }}
          errors={{ password: errors.newPassword, confirmation: errors.confirmPassword }}
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Change password
        </Button>
      </DialogActions>
    </form>
  );
}

/** Changes the password: the present one is asked for, and every other login ends. */
export function PasswordSetting() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Change password</Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Change your password"
        description="This login stays. Every other one ends."
      >
        <PasswordForm onClose={close} />
      </Dialog>
    </>
  );
}

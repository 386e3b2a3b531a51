"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { api } from "#lib/client/api.ts";
import { forgetDraft } from "#lib/client/bulk-draft.ts";
import { callAction } from "#lib/client/call-action.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { forgetKeywords } from "#lib/client/kept-keywords.ts";
import { clearToken } from "#lib/client/stored-token.ts";
import { deleteUserAction } from "#lib/features/privacy/actions.ts";
import { TEXTS } from "#lib/features/privacy/schema.ts";

const LABELS = { password: "Current password" } as const;
const FIELDS = ["password"] as const;

/** Leaves nothing of the account in this browser. */
async function leave(): Promise<void> {
  clearToken();
  forgetKeywords();
  await forgetDraft();
  try {
    await api.post("/api/auth/logout/");
  } catch (error) {
    // The cookie opens nothing any more; only its removal failed.
    console.warn("The cookie of a deleted account could not be removed", error);
  }
  // A whole new page: what this one has in memory belongs to nobody now.
  window.location.replace(`/login?success=${encodeURIComponent(TEXTS.deleted)}`);
}

function DeleteForm({ hasPlan, onClose }: { hasPlan: boolean; onClose: () => void }) {
  const form = useForm<"password">({
    fields: FIELDS,
    check: ({ password }) => (password ? {} : { password: "Please enter your current password" }),
    send: async ({ password }) => {
      const answer = await callAction(deleteUserAction({ password }));
      if (!answer.ok) return outcomeOfAction(answer, FIELDS);
      await leave();
      return { kind: "leaving" };
    },
  });
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Delete account" {...form.bind}>
      <ul className="grid list-disc gap-1.5 pl-5 text-sm text-ink-2">
        {[...(hasPlan ? [TEXTS.planEnds] : []), ...TEXTS.deleteExplained].map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <FormSummary problem={form.problem} errors={form.errors} labels={LABELS} />
      <fieldset disabled={form.isSending}>
        <PasswordField
          label={LABELS.password}
          name="password"
          autoComplete="current-password"
          error={form.errors.password}
          required
        />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Keep my account
        </Button>
        <Button type="submit" variant="danger" isBusy={form.isSending}>
          Delete my account
        </Button>
      </DialogActions>
    </form>
  );
}

/** Deletes the account, after the password and a list of what goes; `hasPlan`: a subscription goes on. */
export function DeleteSetting({ hasPlan }: { hasPlan: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="danger-quiet" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="Delete your account?" description="It cannot be brought back.">
        <DeleteForm hasPlan={hasPlan} onClose={close} />
      </Dialog>
    </>
  );
}

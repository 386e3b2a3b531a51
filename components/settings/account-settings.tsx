"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { DetailList } from "#components/shared/detail-list.tsx";
import { TimeZoneOptions, zoneLabel } from "#components/shared/time-zone-options.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { api, callAction } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { deleteBulkDraft } from "#lib/client/bulk-draft.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { deleteSavedKeywords } from "#lib/client/remembered.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { checkEmail } from "#lib/core/person.ts";
import {
  cancelEmailChangeAction,
  chooseTimeZoneAction,
  requestEmailChangeAction,
} from "#lib/features/identity/actions.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";
import { deleteUserAction } from "#lib/features/privacy/actions.ts";
import { TEXTS } from "#lib/features/privacy/schema.ts";

const LABELS = { email: "New email" } as const;
const FIELDS = ["email"] as const;

function EmailForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const run = useConfirmedAction();
  const form = useForm<"email">({
    fields: FIELDS,
    check: ({ email }) => {
      const wrong = checkEmail(email.trim());
      return wrong ? { email: wrong } : {};
    },
    send: async ({ email }) => {
      const result = await run(() => requestEmailChangeAction({ email: email.trim() }));
      if (result.ok) {
        router.refresh();
        onClose();
      }
      return outcomeOfAction(result, FIELDS);
    },
  });
  const { errors } = form;
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Change email" {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending}>
        <TextField label={LABELS.email} name="email" type="email" autoComplete="email" error={errors.email} required />
      </fieldset>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Send link
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
    const result = await callAction(cancelEmailChangeAction({}));
    setBusy(false);
    showToast(result.ok ? "Your email stays the same" : result.text, { hasCheck: result.ok });
    router.refresh();
  }

  return (
    <Banner
      className="mt-4 items-center"
      action={
        <Button size="sm" isBusy={isBusy} onClick={cancel}>
          Cancel change
        </Button>
      }
    >
      <span role="status">
        Please confirm <b className="font-semibold text-ink">{email}</b> with the link we sent there. Nothing changes
        until you do.
      </span>
    </Banner>
  );
}

type EmailSettingProps = {
  email: string;
  isVerified: boolean;
  /** The new email of a pending change. */
  pendingEmail: string | null;
};

/** Shows the user's email and lets them change it. */
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
            Not confirmed
          </Chip>
        )}
      </p>
      <Button onClick={() => setOpen(true)}>Change email</Button>
      {pendingEmail && <PendingChange email={pendingEmail} />}
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Change your email"
        description="We'll send a confirmation link to the new address and a notice to your current one."
      >
        <EmailForm onClose={close} />
      </Dialog>
    </>
  );
}

const BROWSER_ZONE = "";

/** Chooses the time zone for display: the browser's or a fixed one. */
export function TimeZoneSetting({ chosen }: { chosen: string | null }) {
  const [value, setValue] = useState(chosen ?? BROWSER_ZONE);
  const [browserZone, setBrowserZone] = useState<string | null>(null);
  const router = useRouter();

  // Set after mounting, since only the browser knows its zone.
  useEffect(() => setBrowserZone(browserTimeZone()), []);

  async function choose(next: string): Promise<void> {
    const before = value;
    setValue(next);
    const result = await callAction(chooseTimeZoneAction({ timeZone: next === BROWSER_ZONE ? null : next }));
    if (!result.ok) setValue(before);
    showToast(result.ok ? "Time zone saved" : result.text, { hasCheck: result.ok });
    router.refresh();
  }

  return (
    <SelectField
      label="Time zone"
      fieldClassName="max-w-[380px]"
      hint="Used for times in the app, unless a Pinterest account has its own time zone in Posting slots."
      value={value}
      onChange={(event) => void choose(event.target.value)}
    >
      <option value={BROWSER_ZONE}>Same as this browser{browserZone && ` (${zoneLabel(browserZone)})`}</option>
      <TimeZoneOptions chosen={chosen} />
    </SelectField>
  );
}

/** The read-only profile. */
export function Profile({ initial }: { initial: UserWire }) {
  const { data } = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal));
  const user = data ?? initial;
  const facts = [
    ["First name", user.first_name],
    ["Last name", user.last_name],
    ["Username", user.username],
    ["Email", user.email],
  ] as const;
  return <DetailList facts={facts} />;
}

/** Removes all traces of the account from this browser and goes to /login. */
async function clearBrowserData(): Promise<void> {
  clearToken();
  deleteSavedKeywords();
  await deleteBulkDraft();
  try {
    await api.post("/api/auth/logout/");
  } catch (error) {
    // The cookie is no longer valid; only its removal failed.
    console.warn("The cookie of a deleted account could not be removed", error);
  }
  // A full page load also clears in-memory data.
  window.location.replace(`/login?success=${encodeURIComponent(TEXTS.deleted)}`);
}

function DeleteForm({ hasPlan, onClose }: { hasPlan: boolean; onClose: () => void }) {
  const run = useConfirmedAction();
  const form = useForm<never>({
    fields: [],
    check: () => ({}),
    send: async () => {
      const result = await run(() => deleteUserAction({}));
      if (!result.ok) return outcomeOfAction(result, []);
      await clearBrowserData();
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
      <FormSummary problem={form.problem} errors={form.errors} labels={{}} />
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

/** Deletes the account. `hasPlan`: a subscription is active. */
export function DeleteSetting({ hasPlan }: { hasPlan: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="danger-quiet" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="Delete your account?" description="This can't be undone.">
        <DeleteForm hasPlan={hasPlan} onClose={close} />
      </Dialog>
    </>
  );
}

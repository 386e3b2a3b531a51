"use client";

import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { browserTimeZone } from "#components/shared/browser-time-zone.tsx";
import { SettingsFacts } from "#components/shared/facts.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { api, callAction } from "#lib/client/api.ts";
import { clearToken } from "#lib/client/browser-storage.ts";
import { forgetDraft } from "#lib/client/bulk-draft.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { forgetKeywords } from "#lib/client/remembered.ts";
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

/** As it stands in the list of zones, which writes 'America/New_York'. */
function wordsOf(zone: string): string {
  return zone.replaceAll("_", " ");
}

const BROWSERS = "";

/** The zone in which times are shown: the browser's, or one that stays wherever the user is (R-SRV-06). */
export function TimeZoneSetting({ chosen }: { chosen: string | null }) {
  const [value, setValue] = useState(chosen ?? BROWSERS);
  const [browsers, setBrowsers] = useState<{ zone: string; all: readonly string[] } | null>(null);
  const router = useRouter();

  // Only the browser knows its zone, and the list is long: neither belongs into the page's first paint.
  useEffect(() => setBrowsers({ zone: browserTimeZone(), all: Intl.supportedValuesOf("timeZone") }), []);

  async function choose(next: string): Promise<void> {
    const before = value;
    setValue(next);
    const answer = await callAction(chooseTimeZoneAction({ timeZone: next === BROWSERS ? null : next }));
    if (!answer.ok) setValue(before);
    showToast(answer.ok ? "Your time zone is kept" : answer.text, { hasCheck: answer.ok });
    router.refresh();
  }

  const others = browsers?.all.filter((zone) => zone !== chosen) ?? [];
  return (
    <SelectField
      label="Time zone"
      fieldClassName="max-w-[380px]"
      hint="Times of pins, schedules and logins are shown in it."
      value={value}
      onChange={(event) => void choose(event.target.value)}
    >
      <option value={BROWSERS}>As this browser{browsers && ` (${wordsOf(browsers.zone)})`}</option>
      {chosen && <option value={chosen}>{wordsOf(chosen)}</option>}
      {others.map((zone) => (
        <option key={zone} value={zone}>
          {wordsOf(zone)}
        </option>
      ))}
    </SelectField>
  );
}

/** Who the account belongs to, to read only (R-SET-01). */
export function Profile({ initial }: { initial: UserWire }) {
  const { data } = useApiQuery(queryKeys.me, (signal) => api.get<UserWire>("/api/users/me/", signal));
  const user = data ?? initial;
  const facts = [
    ["First name", user.first_name],
    ["Last name", user.last_name],
    ["Username", user.username],
    ["Email", user.email],
  ] as const;
  return <SettingsFacts facts={facts} />;
}

const DELETE_LABELS = { password: "Current password" } as const;
const DELETE_FIELDS = ["password"] as const;

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
    fields: DELETE_FIELDS,
    check: ({ password }) => (password ? {} : { password: "Please enter your current password" }),
    send: async ({ password }) => {
      const answer = await callAction(deleteUserAction({ password }));
      if (!answer.ok) return outcomeOfAction(answer, DELETE_FIELDS);
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
      <FormSummary problem={form.problem} errors={form.errors} labels={DELETE_LABELS} />
      <fieldset disabled={form.isSending}>
        <PasswordField
          label={DELETE_LABELS.password}
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

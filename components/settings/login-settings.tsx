"use client";

import Monitor from "lucide-react/icons/monitor";
import Smartphone from "lucide-react/icons/smartphone";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { NEW_PASSWORD_LABELS, NewPasswordFields } from "#components/identity/password-fields.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useForm } from "#components/ui/use-form.ts";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import { outcomeOfAction } from "#lib/client/form-outcome.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { changePasswordAction, endLoginAction, endOtherLoginsAction } from "#lib/features/identity/actions.ts";
import { checkNewPassword } from "#lib/features/identity/policy.ts";

export type LoginView = {
  id: string;
  /** 'Firefox on Linux' */
  device: string;
  /** ISO 8601 */
  createdAt: string;
  lastUsedAt: string;
  isCurrent: boolean;
};

type LoginsSettingProps = { logins: readonly LoginView[]; timeZone: string };

type LoginRowProps = { login: LoginView; timeZone: string; isBusy: boolean; onEnd: () => void };

function LoginRow({ login, timeZone, isBusy, onEnd }: LoginRowProps) {
  const { device, createdAt, lastUsedAt, isCurrent } = login;
  const Icon = /Android|iOS|iPhone|iPad/.test(device) ? Smartphone : Monitor;
  return (
    <li
      className={cn(
        "grid grid-cols-[auto_minmax(0,1fr)_auto] gap-3.5 items-start py-3.5 text-ui border-t border-line",
        "first:pt-0 first:border-t-0",
      )}
    >
      <Icon aria-hidden="true" size={19} strokeWidth={1.7} className="mt-0.5 text-ink-3" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium wrap-anywhere">
          {device}
          {isCurrent && <Chip tone="published">This device</Chip>}
        </p>
        <p className="num text-sm text-ink-3">
          Signed in <time dateTime={createdAt}>{formatDateTime(createdAt, timeZone)}</time>, last used{" "}
          <time dateTime={lastUsedAt}>{formatDateTime(lastUsedAt, timeZone)}</time>
        </p>
      </div>
      {!isCurrent && (
        <Button size="sm" isBusy={isBusy} onClick={onEnd}>
          Sign out<span className="sr-only"> of {device}</span>
        </Button>
      )}
    </li>
  );
}

/** The user's active logins, each of which can be ended. */
export function LoginsSetting({ logins, timeZone: painted }: LoginsSettingProps) {
  const timeZone = useTimeZone(painted);
  const [ending, setEnding] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const router = useRouter();
  const list = useRef<HTMLUListElement>(null);
  const hasEndedOthers = useRef(false);
  const others = logins.filter(({ isCurrent }) => !isCurrent).length;

  async function end<T>(name: string, call: Promise<ActionResult<T>>, done: string): Promise<void> {
    setEnding(name);
    const result = await callAction(call);
    setEnding(null);
    // The pressed button disappears, so move the focus to the list. An open dialog restores focus itself.
    if (result.ok) list.current?.focus();
    hasEndedOthers.current = result.ok;
    setConfirming(false);
    showToast(result.ok ? done : result.text, { hasCheck: result.ok });
    router.refresh();
  }

  function confirmOthers(): void {
    hasEndedOthers.current = false;
    setConfirming(true);
  }

  return (
    <>
      <ul ref={list} tabIndex={-1} aria-label="Devices">
        {logins.map((login) => (
          <LoginRow
            key={login.id}
            login={login}
            timeZone={timeZone}
            isBusy={ending === login.id}
            onEnd={() => end(login.id, endLoginAction({ loginId: login.id }), "Signed out of that device")}
          />
        ))}
      </ul>
      {others > 0 && (
        <Button className="mt-4" variant="danger-quiet" onClick={confirmOthers}>
          Sign out everywhere else
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        question={others === 1 ? "Sign out of the other device?" : `Sign out of ${others} other devices?`}
        declineLabel="Cancel"
        confirmLabel="Sign out"
        isDangerous
        isBusy={ending === "others"}
        focusAfter={() => (hasEndedOthers.current ? list.current : null)}
        onDecline={() => setConfirming(false)}
        onConfirm={() => end("others", endOtherLoginsAction({}), "Signed out of all other devices")}
      >
        You'll stay signed in on this device.
      </ConfirmDialog>
    </>
  );
}

const LABELS = {
  newPassword: NEW_PASSWORD_LABELS.password,
  confirmPassword: NEW_PASSWORD_LABELS.confirmation,
} as const;
const FIELDS = ["newPassword", "confirmPassword"] as const;

function endedText(endedLogins: number): string {
  if (endedLogins === 0) return "Password changed";
  return `Password changed. Signed out of ${endedLogins} other ${endedLogins === 1 ? "device" : "devices"}.`;
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const run = useConfirmedAction();
  const form = useForm<keyof typeof LABELS>({
    fields: FIELDS,
    check: checkNewPassword,
    send: async ({ newPassword }) => {
      const result = await run(() => changePasswordAction({ newPassword }));
      if (result.ok) {
        setToken(result.value.accessToken);
        showToast(endedText(result.value.endedLogins), { hasCheck: true });
        router.refresh();
        onClose();
      }
      return outcomeOfAction(result, FIELDS);
    },
  });
  const { errors } = form;
  return (
    <form className="mt-5 grid gap-[18px]" aria-label="Change password" {...form.bind}>
      <FormSummary problem={form.problem} errors={errors} labels={LABELS} />
      <fieldset disabled={form.isSending} className="grid gap-[18px]">
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

/** Changes the password, which ends all other logins. */
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
        description="You'll stay signed in here and be signed out everywhere else."
      >
        <PasswordForm onClose={close} />
      </Dialog>
    </>
  );
}

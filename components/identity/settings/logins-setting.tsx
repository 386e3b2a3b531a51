"use client";

import Monitor from "lucide-react/icons/monitor";
import Smartphone from "lucide-react/icons/smartphone";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { useTimeZone } from "#components/shell/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { endLoginAction, endOtherLoginsAction } from "#lib/features/identity/actions.ts";

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
    <li className="settings-login">
      <Icon aria-hidden="true" size={19} strokeWidth={1.7} className="mt-0.5 text-ink-3" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium wrap-anywhere">
          {device}
          {isCurrent && <Chip tone="published">This login</Chip>}
        </p>
        <p className="num text-sm text-ink-3">
          Signed in <time dateTime={createdAt}>{formatDateTime(createdAt, timeZone)}</time>, last used{" "}
          <time dateTime={lastUsedAt}>{formatDateTime(lastUsedAt, timeZone)}</time>
        </p>
      </div>
      {!isCurrent && (
        <Button size="sm" isBusy={isBusy} onClick={onEnd}>
          End<span className="sr-only"> the login of {device}</span>
        </Button>
      )}
    </li>
  );
}

/** Every login of the account, each of which can be ended here. */
export function LoginsSetting({ logins, timeZone: painted }: LoginsSettingProps) {
  const timeZone = useTimeZone(painted);
  const [ending, setEnding] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const router = useRouter();
  const list = useRef<HTMLUListElement>(null);
  const hasEndedOthers = useRef(false);
  const others = logins.filter(({ isCurrent }) => !isCurrent).length;

  async function end<T>(name: string, call: Promise<ActionAnswer<T>>, done: string): Promise<void> {
    setEnding(name);
    const answer = await callAction(call);
    setEnding(null);
    // The button that was pressed goes with what it ended: the list stays. An open dialog gives the focus later.
    if (answer.ok) list.current?.focus();
    hasEndedOthers.current = answer.ok;
    setAsking(false);
    showToast(answer.ok ? done : answer.text, { hasCheck: answer.ok });
    router.refresh();
  }

  function askForOthers(): void {
    hasEndedOthers.current = false;
    setAsking(true);
  }

  return (
    <>
      <ul ref={list} tabIndex={-1} aria-label="Logins">
        {logins.map((login) => (
          <LoginRow
            key={login.id}
            login={login}
            timeZone={timeZone}
            isBusy={ending === login.id}
            onEnd={() => end(login.id, endLoginAction({ loginId: login.id }), "The login has ended")}
          />
        ))}
      </ul>
      {others > 0 && (
        <Button className="mt-4" variant="danger-quiet" onClick={askForOthers}>
          End all other logins
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        question={others === 1 ? "End the other login?" : `End ${others} other logins?`}
        declineLabel="Keep them"
        confirmLabel="End them"
        isDangerous
        isBusy={ending === "others"}
        focusAfter={() => (hasEndedOthers.current ? list.current : null)}
        onDecline={() => setAsking(false)}
        onConfirm={() => end("others", endOtherLoginsAction({}), "All other logins have ended")}
      >
        Whoever uses them has to sign in again. This one stays.
      </ConfirmDialog>
    </>
  );
}

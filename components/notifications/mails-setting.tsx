"use client";

import { useState } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { MUTABLE_MAILS, type MutableMail } from "#lib/features/email/constants.ts";
import { switchMailAction } from "#lib/features/notifications/actions.ts";
import { MAIL_WORDS } from "#lib/features/notifications/constants.ts";

/** Which mails the user wants besides those about the account itself; each press is kept at once (R-SRV-04). */
export function MailsSetting({ muted }: { muted: readonly MutableMail[] }) {
  const [off, setOff] = useState<ReadonlySet<MutableMail>>(new Set(muted));

  const show = (kind: MutableMail, isOn: boolean): void =>
    setOff((before) => new Set(isOn ? [...before].filter((one) => one !== kind) : [...before, kind]));

  async function choose(kind: MutableMail, isOn: boolean): Promise<void> {
    show(kind, isOn);
    const answer = await callAction(switchMailAction({ kind, isOn }));
    if (!answer.ok) show(kind, !isOn);
    const done = isOn ? "You get these mails again" : "You get no more of these mails";
    showToast(answer.ok ? done : answer.text, { hasCheck: answer.ok });
  }

  return (
    <ul className="-my-2" aria-labelledby="mails-title">
      {MUTABLE_MAILS.map((kind) => {
        const { name, when } = MAIL_WORDS[kind];
        return (
          <li key={kind}>
            <Checkbox
              isTopAligned
              className="max-md:min-h-11 py-2"
              checked={!off.has(kind)}
              onChange={(event) => void choose(kind, event.target.checked)}
              aria-labelledby={`mail-${kind}`}
              aria-describedby={`mail-${kind}-when`}
              label={
                <span>
                  <span id={`mail-${kind}`} className="block text-ui font-medium text-ink">
                    {name}
                  </span>
                  <span id={`mail-${kind}-when`} className="block text-ink-3">
                    {when}
                  </span>
                </span>
              }
            />
          </li>
        );
      })}
    </ul>
  );
}

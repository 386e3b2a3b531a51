"use client";

import { useState } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { MUTABLE_EMAILS, type MutableEmail } from "#lib/features/email/constants.ts";
import { switchEmailAction } from "#lib/features/notifications/actions.ts";
import { EMAIL_LABELS } from "#lib/features/notifications/constants.ts";

/** Preferences for optional emails; each change is saved immediately. */
export function EmailsSetting({ muted }: { muted: readonly MutableEmail[] }) {
  const [off, setOff] = useState<ReadonlySet<MutableEmail>>(new Set(muted));

  const show = (kind: MutableEmail, isOn: boolean): void =>
    setOff((before) => new Set(isOn ? [...before].filter((one) => one !== kind) : [...before, kind]));

  async function choose(kind: MutableEmail, isOn: boolean): Promise<void> {
    show(kind, isOn);
    const result = await callAction(switchEmailAction({ kind, isOn }));
    if (!result.ok) show(kind, !isOn);
    const done = isOn ? "You'll get these emails again" : "You won't get these emails anymore";
    showToast(result.ok ? done : result.text, { hasCheck: result.ok });
  }

  return (
    <ul className="-my-2" aria-labelledby="mails-title">
      {MUTABLE_EMAILS.map((kind) => {
        const { name, when } = EMAIL_LABELS[kind];
        return (
          <li key={kind}>
            <Checkbox
              isTopAligned
              className="max-md:min-h-11 py-2"
              checked={!off.has(kind)}
              onChange={(event) => void choose(kind, event.target.checked)}
              aria-labelledby={`email-${kind}`}
              aria-describedby={`email-${kind}-when`}
              label={
                <span>
                  <span id={`email-${kind}`} className="block text-ui font-medium text-ink">
                    {name}
                  </span>
                  <span id={`email-${kind}-when`} className="block text-ink-3">
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

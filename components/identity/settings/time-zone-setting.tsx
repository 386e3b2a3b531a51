"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { browserTimeZone } from "#components/shell/time-zone-cookie.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { chooseTimeZoneAction } from "#lib/features/identity/actions.ts";

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

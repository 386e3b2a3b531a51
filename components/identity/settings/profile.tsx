"use client";

import { SettingsFacts } from "#components/identity/settings/settings-facts.tsx";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { api } from "#lib/client/api.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";

/** Who the account belongs to, to read only (R-SET-01). */
export function Profile({ initial }: { initial: UserWire }) {
  const { data } = useScreenCall("me", (signal) => api.get<UserWire>("/api/users/me/", signal));
  const user = data ?? initial;
  const facts = [
    ["First name", user.first_name],
    ["Last name", user.last_name],
    ["Username", user.username],
    ["Email", user.email],
  ] as const;
  return <SettingsFacts facts={facts} />;
}

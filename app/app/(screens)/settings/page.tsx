import type { Metadata } from "next";
import { SettingsScreen } from "#components/identity/settings/settings-screen.tsx";
import { toIso } from "#lib/core/time.ts";
import { listLogins } from "#lib/features/identity/list-logins.ts";
import { toUserWire } from "#lib/features/identity/present.ts";
import { findEmailChange } from "#lib/features/identity/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [logins, pending] = await Promise.all([listLogins(ctx), findEmailChange(ctx)]);
  return (
    <SettingsScreen
      user={toUserWire(user)}
      pendingEmail={pending?.email ?? null}
      logins={logins.map(({ id, device, createdAt, lastUsedAt, isCurrent }) => ({
        id,
        device,
        createdAt: toIso(createdAt),
        lastUsedAt: toIso(lastUsedAt),
        isCurrent,
      }))}
      timeZone={user.timeZone}
      chosenTimeZone={user.chosenTimeZone}
    />
  );
}

import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SlotsScreen } from "#components/calendar/slots-screen.tsx";
import { dayRangeOf } from "#lib/core/paths.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { findSlots } from "#lib/features/calendar/slots.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Posting slots" };

type PageProps = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function SlotsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = await findOwnedAccounts(ctx);
  const account = accounts.find(({ id }) => id === search.account) ?? accounts[0];
  if (!account) redirect("/app/calendar");
  const { id, username, timeZone } = account;
  return (
    <SlotsScreen
      key={id}
      account={{ id, username, timeZone }}
      initial={await findSlots(ctx, id)}
      userTimeZone={user.timeZone}
      fillDays={dayRangeOf(search)}
    />
  );
}

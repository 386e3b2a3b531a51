import type { Metadata } from "next";
import { type CalendarSearchParams, daysOf, rangeOf, readCalendarQuery } from "#components/calendar/calendar-query.ts";
import { CalendarScreen } from "#components/calendar/calendar-screen.tsx";
import { dayRangeOf } from "#lib/core/paths.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { readCalendar } from "#lib/features/calendar/calendar.ts";
import { DRAFTS_SHOWN } from "#lib/features/calendar/constants.ts";
import { findSlots } from "#lib/features/calendar/slots.ts";
import { listPins } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toPinsWire } from "#lib/features/pins/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Calendar" };

type PageProps = { searchParams: Promise<CalendarSearchParams> };

export default async function CalendarPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = (await findOwnedAccounts(ctx)).map(({ id, username, timeZone }) => ({ id, username, timeZone }));
  const account = accounts.find(({ id }) => id === search.account) ?? accounts[0];
  const zone = account?.timeZone ?? user.timeZone;
  const now = ctx.now();
  const query = readCalendarQuery(search, localTimeOf(now, zone).date);
  const range = rangeOf(daysOf(query), zone);
  const load = async (accountId: string) => {
    const [calendar, drafts, slots] = await Promise.all([
      readCalendar(ctx, { accountId, from: new Date(range.from), to: new Date(range.to) }),
      listPins(ctx, listPinsInput.parse({ accountId, status: "draft", limit: DRAFTS_SHOWN })),
      findSlots(ctx, accountId),
    ]);
    return { initial: { accountId, range, calendar, drafts: toPinsWire(drafts, ctx).posts }, slots };
  };
  const { initial, slots } = account ? await load(account.id) : { initial: null, slots: [] };
  return (
    <CalendarScreen
      accounts={accounts}
      accountId={account?.id ?? null}
      first={query}
      initial={initial}
      slots={slots}
      fillDays={dayRangeOf(search)}
      userTimeZone={user.timeZone}
      now={now.toISOString()}
    />
  );
}

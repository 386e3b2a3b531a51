import type { Metadata } from "next";
import { type PinSearchParams, readPinQuery } from "#components/pins/pin-list.ts";
import { PinsScreen } from "#components/pins/pins-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { PIN_PAGE_SIZE } from "#lib/features/pins/constants.ts";
import { listPins } from "#lib/features/pins/library.ts";
import { listPinsInput } from "#lib/features/pins/schema.ts";
import { toPinsWire } from "#lib/features/pins/serializers.ts";
import { countOverdue } from "#lib/features/publishing/retries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Generated Posts" };

type PageProps = { searchParams: Promise<PinSearchParams> };

export default async function GeneratedPostsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = await findOwnedAccounts(ctx);
  const options = accounts.map(({ id, username, timeZone }) => ({ id, username, timeZone }));
  const requested = options.find(({ id }) => id === search.account);
  const accountId = requested?.id ?? options[0]?.id ?? null;
  const query = readPinQuery(search);
  const { filter: status, q, sort } = query;
  const limit = PIN_PAGE_SIZE;
  const listed = () => listPins(ctx, listPinsInput.parse({ accountId, status, q, sort, limit, counts: "true" }));
  const [pins, overdue] = accountId ? await Promise.all([listed(), countOverdue(ctx, { accountId })]) : [null, 0];
  return (
    <PinsScreen
      accounts={options}
      first={{ accountId, query, pins: pins && toPinsWire(pins, ctx) }}
      overdue={overdue}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}

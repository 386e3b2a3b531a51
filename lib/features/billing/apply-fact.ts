import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import type { LetterId, UserId } from "#lib/core/ids.ts";
import type { PaymentFact } from "#lib/integrations/payments/port.ts";
import { retryDeadlock } from "./retry-deadlock.ts";
import { settleUser } from "./settle-user.ts";
import { storeAdjustment } from "./store-adjustment.ts";
import { storePayment } from "./store-payment.ts";
import { storeSubscription } from "./store-subscription.ts";

const store = (tx: Ctx, fact: PaymentFact): Promise<UserId[]> => {
  switch (fact.kind) {
    case "transaction":
      return storePayment(tx, fact.transaction);
    case "subscription":
      return storeSubscription(tx, fact.subscription);
    case "adjustment":
      return storeAdjustment(tx, fact.adjustment);
    default:
      return unreachable(fact);
  }
};

/**
 * Stores what the provider told, by an event or an answer, and settles everybody whom it concerns: all of it or nothing.
 * The same fact twice, or an older one after a newer one, changes nothing.
 * @returns whom it concerns, and the reports to support that wait to be announced
 */
export const applyFact = (
  ctx: Ctx,
  { fact }: { fact: PaymentFact },
): Promise<{ userIds: UserId[]; letterIds: LetterId[] }> =>
  retryDeadlock(() =>
    inTransaction(ctx, async (tx) => {
      // In one order, so that two facts that concern the same two users do not wait for each other.
      const userIds = [...new Set(await store(tx, fact))].sort();
      const letterIds: LetterId[] = [];
      for (const userId of userIds) letterIds.push(...(await settleUser(tx, { userId })));
      return { userIds, letterIds };
    }),
  );

import "server-only";
import { and, eq, isNotNull, ne, or } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { paymentCustomers, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { endSubscriptions } from "./end-subscriptions.ts";
import { forgetPayer } from "./forget-payer.ts";

/** Deleted users of whom something was told after their erasure: a checkout that was still open, a late renewal. */
const findLeftovers = (ctx: Ctx): Promise<{ userId: string | null }[]> => {
  const { userId } = payments;
  const isClosed = isNotNull(users.closedAt);
  const { db } = ctx;
  return union(
    db
      .select({ userId })
      .from(payments)
      .innerJoin(users, eq(users.id, userId))
      .where(and(isClosed, or(isNotNull(payments.customerId), isNotNull(payments.method)))),
    db
      .select({ userId: subscriptions.userId })
      .from(subscriptions)
      .innerJoin(users, eq(users.id, subscriptions.userId))
      .where(and(isClosed, or(isNotNull(subscriptions.customerId), ne(subscriptions.status, "canceled")))),
    db
      .select({ userId: paymentCustomers.userId })
      .from(paymentCustomers)
      .innerJoin(users, eq(users.id, paymentCustomers.userId))
      .where(isClosed),
    db
      .select({ userId: purchases.userId })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .where(isClosed),
  );
};

/**
 * Every night: what reached us about deleted users after they were erased. A subscription of theirs is ended, and the
 * person is taken out again. @returns how many users it was about.
 */
export const retirePayers = async (ctx: Ctx<"payments">): Promise<number> => {
  const found = (await findLeftovers(ctx)).flatMap(({ userId }) => (userId === null ? [] : [userId as UserId]));
  for (const userId of found) {
    const { left } = await endSubscriptions(ctx, { userId });
    // Whose subscription it is must stay known until it has ended.
    if (left === 0) await forgetPayer(ctx, { userId });
  }
  return found.length;
};

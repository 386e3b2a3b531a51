import "server-only";
import { eq } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PaymentSubscription } from "#lib/integrations/payments/port.ts";
import { adoptOrphans } from "./adopt-orphans.ts";
import { compareDescriptions } from "./compare-descriptions.ts";
import { findOwner } from "./find-owner.ts";
import { lockOwners } from "./lock-owners.ts";
import { lockSubjects } from "./lock-subjects.ts";
import type { Subscription } from "./queries.ts";
import { readItems } from "./read-items.ts";

const describe = (tx: Ctx, subscription: PaymentSubscription) => {
  const { priceId, currentPeriod, scheduledChange } = subscription;
  const sold = priceId ? readItems(tx.settings.prices, [{ priceId, quantity: 1 }]) : null;
  return {
    customerId: subscription.customerId,
    priceId,
    plan: sold?.kind === "plan" ? sold.plan : null,
    status: subscription.status,
    periodStartsAt: currentPeriod?.startsAt ?? null,
    periodEndsAt: currentPeriod?.endsAt ?? null,
    nextBilledAt: subscription.nextBilledAt,
    scheduledAction: scheduledChange?.action ?? null,
    scheduledAt: scheduledChange?.effectiveAt ?? null,
    startedAt: subscription.startedAt,
    pausedAt: subscription.pausedAt,
    canceledAt: subscription.canceledAt,
    asOf: subscription.updatedAt,
  };
};
type Description = ReturnType<typeof describe>;

/** The same fields of a stored row, in the same order: the two are compared. */
const descriptionOf = (row: Subscription, like: Description): Description =>
  // The names are those of a description, so the values make one.
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name as keyof Description]])) as Description;

/**
 * Stores what was told about a subscription; a description that is older than the stored one changes nothing but whose
 * it is, where that was not known. @returns the users whom it concerns
 */
export const storeSubscription = async (tx: Ctx, subscription: PaymentSubscription): Promise<UserId[]> => {
  const { id, customerId, customData } = subscription;
  await lockSubjects(tx, { customerId });
  const owner = await findOwner(tx, { customData, customerId, subscriptionId: id });
  const [seen] = await tx.db
    .select({ userId: subscriptions.userId })
    .from(subscriptions)
    .where(eq(subscriptions.id, id));
  await lockOwners(tx, [owner.userId, seen?.userId]);
  const [known] = await tx.db.select().from(subscriptions).where(eq(subscriptions.id, id));
  const told = describe(tx, subscription);
  const userId = owner.isTold ? owner.userId : ((known?.userId as UserId | null | undefined) ?? owner.userId);
  const isNewer = !known || compareDescriptions(told, descriptionOf(known, told)) > 0;
  if (!known) await tx.db.insert(subscriptions).values({ id, ...told, userId });
  else
    await tx.db
      .update(subscriptions)
      .set({ ...(isNewer && told), userId })
      .where(eq(subscriptions.id, id));
  const adopted = await adoptOrphans(tx, { userId, subscriptionId: id, customerId });
  return [userId, known?.userId as UserId | null | undefined, ...adopted].filter((one) => one != null);
};

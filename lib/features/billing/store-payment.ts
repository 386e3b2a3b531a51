import "server-only";
import { eq, gt } from "drizzle-orm";
import { paymentCustomers, payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { PaymentTransaction } from "#lib/integrations/payments/port.ts";
import { adoptOrphans } from "./adopt-orphans.ts";
import { compareDescriptions } from "./compare-descriptions.ts";
import { findOwner, type Owner } from "./find-owner.ts";
import { lockOwners } from "./lock-owners.ts";
import { lockSubjects } from "./lock-subjects.ts";
import type { Payment } from "./queries.ts";
import { readItems } from "./read-items.ts";

const describe = (tx: Ctx, transaction: PaymentTransaction) => ({
  ...readItems(tx.settings.prices, transaction.items),
  subscriptionId: transaction.subscriptionId,
  customerId: transaction.customerId,
  status: transaction.status,
  origin: transaction.origin,
  periodStartsAt: transaction.billingPeriod?.startsAt ?? null,
  periodEndsAt: transaction.billingPeriod?.endsAt ?? null,
  currency: transaction.currency,
  totalMinor: transaction.totalMinor,
  method: transaction.method,
  failure: transaction.failure,
  invoiceNumber: transaction.invoiceNumber,
  createdAt: transaction.createdAt,
  paidAt: transaction.billedAt,
  asOf: transaction.updatedAt,
});
type Description = ReturnType<typeof describe>;

/** What was given was given for something: a price that left our table does not make it nothing. */
const keepSold = (told: Description, known: Payment | undefined): Description => {
  if (!known?.grantedAt || told.kind !== "other") return told;
  return { ...told, kind: known.kind, plan: known.plan, credits: known.credits };
};

/** The same fields of a stored row, in the same order: the two are compared. */
const descriptionOf = (row: Payment, like: Description): Description =>
  // The names are those of a description, so the values make one.
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name as keyof Description]])) as Description;

/** Who paid first with a customer's id decides whose it is; a checkout that nobody paid decides nothing. */
const rememberCustomer = async (tx: Ctx, { customerId, createdAt, status }: Description, userId: UserId) => {
  if (!customerId || status !== "completed") return;
  await tx.db
    .insert(paymentCustomers)
    .values({ customerId, userId, createdAt })
    .onConflictDoUpdate({
      target: paymentCustomers.customerId,
      set: { userId, createdAt },
      setWhere: gt(paymentCustomers.createdAt, createdAt),
    });
};

const ownerOf = (known: Payment | undefined, owner: Owner): { userId: string | null; purchaseId: string | null } => {
  // What was given stays with whom it was given to.
  if (known?.grantedAt) return { userId: known.userId, purchaseId: known.purchaseId };
  return {
    userId: owner.isTold ? owner.userId : (known?.userId ?? owner.userId),
    purchaseId: owner.purchaseId ?? known?.purchaseId ?? null,
  };
};

/**
 * Stores what was told about a transaction; a description that is older than the stored one changes nothing but whose
 * it is, where that was not known. @returns the users whom it concerns
 */
export const storePayment = async (tx: Ctx, transaction: PaymentTransaction): Promise<UserId[]> => {
  const { id, customerId, subscriptionId } = transaction;
  await lockSubjects(tx, { transactionId: id, customerId });
  const owner = await findOwner(tx, transaction);
  const [seen] = await tx.db.select({ userId: payments.userId }).from(payments).where(eq(payments.id, id));
  await lockOwners(tx, [owner.userId, seen?.userId]);
  const [known] = await tx.db.select().from(payments).where(eq(payments.id, id));
  const told = keepSold(describe(tx, transaction), known);
  const owned = ownerOf(known, owner);
  const isNewer = !known || compareDescriptions(told, descriptionOf(known, told)) > 0;
  const items = isNewer ? transaction.items : (known.items ?? transaction.items);
  if (!known) await tx.db.insert(payments).values({ id, ...told, items, ...owned });
  else
    await tx.db
      .update(payments)
      .set({ ...(isNewer && told), items, ...owned })
      .where(eq(payments.id, id));
  if (owner.isTold && owner.userId) await rememberCustomer(tx, told, owner.userId);
  // Rows of these tables hold ids of users.
  const userId = owned.userId as UserId | null;
  const adopted = await adoptOrphans(tx, { userId, subscriptionId, customerId });
  return [userId, known?.userId as UserId | null | undefined, ...adopted].filter((one) => one != null);
};

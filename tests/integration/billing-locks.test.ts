import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { payments } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import { addMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { applyFact } from "#lib/features/billing/events.ts";
import { type Buyer, returnOf, saleOf } from "#tests/support/billing.ts";
import { someoneWaits } from "#tests/support/database.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, webhookCtx, buyer, deliver, credits } = billingHarness();

const packOf = (who: Buyer) => saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), -HOUR_MS) });

/** A payment as the provider returns it. */
const fetchedPayment = async (who: Buyer, id: string) => {
  const [row] = await database().db.select().from(payments).where(eq(payments.id, id));
  if (!row?.items) throw new Error("The payment is not there.");
  const { origin, subscriptionId, currency, totalMinor, method, failure, invoiceNumber, createdAt, items } = row;
  const same = { id, origin, subscriptionId, currency, totalMinor, method, failure, invoiceNumber, createdAt, items };
  return {
    kind: "transaction" as const,
    transaction: {
      ...same,
      status: "completed" as const,
      customerId: who.customerId,
      customData: { userId: who.userId, purchaseRef: null },
      billingPeriod: null,
      billedAt: row.paidAt,
      updatedAt: addMs(row.asOf, MINUTE_MS),
    },
  };
};

test("R-PAY-03, decision 0017: storing a fact locks the user before any of the user's rows", async () => {
  const who = await buyer();
  const sale = packOf(who);
  await deliver(sale);
  const id = String(sale.data.id);
  const fact = await fetchedPayment(who, id);
  const refund = returnOf({ of: sale, at: addMs(harness().now(), SECOND_MS) });
  let delivering: Promise<unknown> = Promise.resolve();
  await database().db.transaction(async (tx) => {
    await tx.select().from(users).where(eq(users.id, who.userId)).for("update");
    delivering = applyFact(webhookCtx(), { fact });
    await someoneWaits(database().db);
    // Fails immediately if another transaction holds this row while waiting for the user.
    await tx.select().from(payments).where(eq(payments.id, id)).for("update", { noWait: true });
  });
  await delivering;
  await deliver(refund);
  expect(await credits(who)).toEqual([5, 0]);
});

test("R-PAY-03: retries after a deadlock", async () => {
  const who = await buyer();
  const sale = packOf(who);
  await deliver(sale);
  const id = String(sale.data.id);
  const fact = await fetchedPayment(who, id);
  let delivering: Promise<unknown> = Promise.resolve();
  const other = database().db.transaction(async (tx) => {
    // Waits longer, so that the database ends the other transaction.
    await tx.execute(sql`set local deadlock_timeout = '20s'`);
    await tx.select().from(users).where(eq(users.id, who.userId)).for("update");
    delivering = applyFact(webhookCtx(), { fact });
    await someoneWaits(database().db);
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`payment:${id}`}, 0))`);
  });
  await Promise.allSettled([other]);
  await expect(delivering).resolves.toMatchObject({ userIds: [who.userId] });
});

import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { paymentAdjustments, payments, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { type Buyer, webhookOf } from "#tests/support/billing.ts";
import { type Scenario, scenarioOf } from "#tests/support/billing-scenarios.ts";
import { PADDLE_TEST_SECRET } from "#tests/support/context.ts";
import { signed } from "#tests/support/payments.ts";
import { createRandom } from "#tests/support/random.ts";
import { billingHarness } from "./billing-harness.ts";

const { database, harness, webhookCtx, buyers, credits, plan, record, eventsOpen } = billingHarness();

const WEBHOOKS = 1_000;
const FORGED = 60;
/** Set BILLING_SEEDS=1,2,3 to use other seeds. */
const SEEDS = (process.env.BILLING_SEEDS ?? "20261122").split(",").map(Number);
/** Far more than needed on a busy machine. */
const LONG_MS = 10 * MINUTE_MS;

/** A buyer's final state, without generated ids and timestamps. */
const stateOf = async (who: Buyer) => {
  const { db } = database();
  const paid = await db.select().from(payments).where(eq(payments.userId, who.userId));
  const owned = await db.select().from(subscriptions).where(eq(subscriptions.userId, who.userId));
  const ids = paid.map(({ id }) => id);
  const returned = await db.select().from(paymentAdjustments).where(inArray(paymentAdjustments.transactionId, ids));
  const [user] = await db.select().from(users).where(eq(users.id, who.userId));
  return {
    credits: await credits(who),
    plan: await plan(who),
    planEndsAt: user?.planEndsAt,
    payments: paid
      .map(({ status, kind, plan, credits, asOf, grantedAt, heldReason }) =>
        JSON.stringify([status, kind, plan, credits, asOf, grantedAt !== null, heldReason]),
      )
      .toSorted(),
    subscriptions: owned
      .map(({ status, plan, periodEndsAt, scheduledAction, asOf, heldReason }) =>
        JSON.stringify([status, plan, periodEndsAt, scheduledAction, asOf, heldReason]),
      )
      .toSorted(),
    adjustments: returned
      .map(({ transactionId, action, status, credits, asOf, appliedAt }) => {
        // A month's allowance may expire in one order and be revoked in the other; the credits are removed either way.
        const isPack = paid.some(({ id, kind }) => id === transactionId && kind === "pack");
        return JSON.stringify([action, status, isPack && credits, asOf, appliedAt !== null]);
      })
      .toSorted(),
  };
};

/** Creates buyers with a balance, one per scenario. */
const cohort = async (size: number, seed: number, now: Date) => {
  const people: (Scenario & { who: Buyer })[] = [];
  for (const [n, who] of (await buyers(size)).entries()) {
    await credits(who);
    people.push({ who, ...(await scenarioOf(who, seed + n, { now, record })) });
  }
  return people;
};

test.each(SEEDS)(
  "R-PAY-03: 1,000 shuffled, repeated and forged webhooks come to what they come to in order (seed %i)",
  async (seed) => {
    const now = harness().now();
    const size = 40;
    const inOrder = await cohort(size, seed, now);
    const shuffled = await cohort(size, seed, now);
    const byTime = inOrder
      .flatMap(({ events }) => events)
      .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    for (const one of byTime) await receiveEvent(webhookCtx(), webhookOf(one));
    let rounds = 0;
    while ((await applyEvent(webhookCtx(), { eventId: "" })).left === "more") rounds += 1;
    expect(rounds).toBeLessThan(20);

    const random = createRandom(seed);
    const sendable = shuffled.flatMap(({ events }) => events).map((one) => webhookOf(one));
    const repeated = Array.from(
      { length: Math.max(0, WEBHOOKS - sendable.length) },
      () => sendable[random.below(sendable.length)],
    );
    const webhooks = random.shuffled([...sendable, ...repeated.flatMap((one) => one ?? [])]);
    expect(webhooks.length).toBeGreaterThanOrEqual(WEBHOOKS);
    let accepted = 0;
    for (const [n, { body }] of webhooks.entries()) {
      // Signed when sent, because a busy machine can take longer than a signature is valid.
      await receiveEvent(webhookCtx(), { body, signature: signed(body, PADDLE_TEST_SECRET) });
      if (n < FORGED) {
        const signature = signed(body, "pdl_ntfset_forged");
        await receiveEvent(webhookCtx(), { body, signature }).then(
          () => (accepted += 1),
          () => undefined,
        );
      }
      if (random.below(5) === 0) expect((await applyEvent(webhookCtx(), { eventId: "" })).failed).toBe(0);
    }
    await applyEvent(webhookCtx(), { eventId: "" });
    expect(accepted).toBe(0);
    expect(await eventsOpen()).toBe(0);
    for (const [n, { who, plan, allowance }] of shuffled.entries()) {
      const state = await stateOf(who);
      const same = inOrder[n];
      if (same) expect(state, `buyer ${n} of seed ${seed}`).toEqual(await stateOf(same.who));
      expect(state.plan, `plan of buyer ${n} of seed ${seed}`).toBe(plan);
      if (allowance !== null) expect(state.credits[0], `credits of buyer ${n} of seed ${seed}`).toBe(allowance);
    }
  },
  LONG_MS,
);

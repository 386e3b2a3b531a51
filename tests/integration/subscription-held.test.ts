import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { subscriptions } from "#db/schema/billing.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { listHeldSubscriptions } from "#lib/features/billing/held-payments.ts";
import { cancelHeldSubscription } from "#lib/features/billing/subscriptions.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, database, payer, subscriber, wireOf } = subscriptionHarness();

/** A user who pays for basic and also for pro. */
const payingTwice = async () => {
  const someone = await subscriber();
  await paddle().buy(someone, "plan:pro");
  await sync();
  const rows = await database().db.select().from(subscriptions).where(eq(subscriptions.userId, someone.userId));
  const second = rows.find(({ id }) => id !== someone.id);
  if (!second) throw new Error("The second subscription did not arrive.");
  return { ...someone, second: second.id };
};
const statusAt = async (someone: Awaited<ReturnType<typeof payingTwice>>, id: string) => {
  const answer = await someone.ctx.payments.getSubscription(id);
  return answer.kind === "ok" ? answer.value.status : answer.problem.kind;
};

test("A-96 R-SUB-01 a second subscription is listed, and the user can end it immediately: plan and credits stay", async () => {
  const someone = await payingTwice();
  const [before, balance] = [await wireOf(someone), await findBalance(someone.ctx, someone.userId)];
  expect(before).toMatchObject({ status: "active", plan: { slug: "basic" } });
  expect(await listHeldSubscriptions(someone.ctx)).toEqual([{ id: someone.second, plan: "pro", isEnding: false }]);
  await Promise.all([
    cancelHeldSubscription(someone.ctx, { id: someone.second }),
    cancelHeldSubscription(someone.ctx, { id: someone.second }),
  ]);
  await cancelHeldSubscription(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
  expect(await statusAt(someone, someone.id)).toBe("active");
  await sync();
  expect(await listHeldSubscriptions(someone.ctx)).toEqual([]);
  expect(await wireOf(someone)).toEqual(before);
  expect(await findBalance(someone.ctx, someone.userId)).toEqual(balance);
});

test("R-SET-07 one that is already set to end says so and can still be ended immediately", async () => {
  const someone = await payingTwice();
  await someone.ctx.payments.cancelSubscription(someone.second, "period_end");
  await sync();
  expect(await listHeldSubscriptions(someone.ctx)).toEqual([{ id: someone.second, plan: "pro", isEnding: true }]);
  await cancelHeldSubscription(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
  expect(await listHeldSubscriptions(someone.ctx)).toEqual([]);
  expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "basic" } });
});

test("R-SET-07 one whose end has passed here but was removed at the provider is ended there", async () => {
  const someone = await payingTwice();
  await someone.ctx.payments.cancelSubscription(someone.second, "period_end");
  await sync();
  expect((await someone.ctx.payments.keepSubscription(someone.second)).kind).toBe("ok");
  const { db } = database();
  const past = new Date(Date.now() - DAY_MS);
  await db.update(subscriptions).set({ scheduledAt: past }).where(eq(subscriptions.id, someone.second));
  await cancelHeldSubscription(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
});

test("A-96 is not ended when the main one has ended at the provider and its event has not arrived", async () => {
  const someone = await payingTwice();
  expect((await someone.ctx.payments.cancelSubscription(someone.id, "now")).kind).toBe("ok");
  await expect(cancelHeldSubscription(someone.ctx, { id: someone.second })).rejects.toMatchObject({
    code: "wrong_state",
  });
  expect(await statusAt(someone, someone.second)).toBe("active");
  expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" } });
  await sync();
});

test("reads back after a lost answer; a provider that is down is reported", async () => {
  const someone = await payingTwice();
  const path = "POST /subscriptions/:id/cancel";
  await paddle().addFault({ scenario: "server-error", match: path, times: 1 });
  await expect(cancelHeldSubscription(someone.ctx, { id: someone.second })).rejects.toMatchObject({
    code: "provider_unavailable",
  });
  expect(await listHeldSubscriptions(someone.ctx)).toHaveLength(1);
  await paddle().clearFaults();
  await paddle().addFault({ scenario: "change-reply-lost", match: path, times: 1 });
  await cancelHeldSubscription(someone.ctx, { id: someone.second });
  expect(await listHeldSubscriptions(someone.ctx)).toEqual([]);
});

test("refuses another user's subscription and the main one", async () => {
  const [someone, other] = [await payingTwice(), await payer()];
  const absent = { code: "not_found" };
  await expect(cancelHeldSubscription(other.ctx, { id: someone.second })).rejects.toMatchObject(absent);
  await expect(cancelHeldSubscription(other.ctx, { id: "sub_unknown" })).rejects.toMatchObject(absent);
  await expect(cancelHeldSubscription(someone.ctx, { id: someone.id })).rejects.toMatchObject({ code: "wrong_state" });
  expect(await listHeldSubscriptions(other.ctx)).toEqual([]);
  expect(await statusAt(someone, someone.id)).toBe("active");
});

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { subscriptions } from "#db/schema/billing.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { listHeld } from "#lib/features/billing/held-payments.ts";
import { cancelHeld } from "#lib/features/billing/subscriptions.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { subscriptionWorld } from "./subscription-house.ts";

const { paddle, sync, database, payer, subscriber, wireOf } = subscriptionWorld();

/** Somebody who pays for basic, and beside it for pro. */
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

test("A-96 R-SUB-01 a second subscription is named, and ends at once by its user: plan and credits stay", async () => {
  const someone = await payingTwice();
  const [before, balance] = [await wireOf(someone), await findBalance(someone.ctx, someone.userId)];
  expect(before).toMatchObject({ status: "active", plan: { slug: "basic" } });
  expect(await listHeld(someone.ctx)).toEqual([{ id: someone.second, plan: "pro", isEnding: false }]);
  await Promise.all([cancelHeld(someone.ctx, { id: someone.second }), cancelHeld(someone.ctx, { id: someone.second })]);
  await cancelHeld(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
  expect(await statusAt(someone, someone.id)).toBe("active");
  await sync();
  expect(await listHeld(someone.ctx)).toEqual([]);
  expect(await wireOf(someone)).toEqual(before);
  expect(await findBalance(someone.ctx, someone.userId)).toEqual(balance);
});

test("R-SET-07 one whose end is scheduled already is told so, and can be ended at once all the same", async () => {
  const someone = await payingTwice();
  await someone.ctx.payments.cancelSubscription(someone.second, "period_end");
  await sync();
  expect(await listHeld(someone.ctx)).toEqual([{ id: someone.second, plan: "pro", isEnding: true }]);
  await cancelHeld(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
  expect(await listHeld(someone.ctx)).toEqual([]);
  expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "basic" } });
});

test("R-SET-07 one whose day has come by our row, taken back at the provider meanwhile, is ended there", async () => {
  const someone = await payingTwice();
  await someone.ctx.payments.cancelSubscription(someone.second, "period_end");
  await sync();
  expect((await someone.ctx.payments.keepSubscription(someone.second)).kind).toBe("ok");
  const { db } = database();
  const past = new Date(Date.now() - DAY_MS);
  await db.update(subscriptions).set({ scheduledAt: past }).where(eq(subscriptions.id, someone.second));
  await cancelHeld(someone.ctx, { id: someone.second });
  expect(await statusAt(someone, someone.second)).toBe("canceled");
});

test("A-96 it stays when the one that gave the plan has ended at the provider, whose event is on its way", async () => {
  const someone = await payingTwice();
  expect((await someone.ctx.payments.cancelSubscription(someone.id, "now")).kind).toBe("ok");
  await expect(cancelHeld(someone.ctx, { id: someone.second })).rejects.toMatchObject({ code: "wrong_state" });
  expect(await statusAt(someone, someone.second)).toBe("active");
  expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" } });
  await sync();
});

test("an answer of the provider that was lost is read back; one that is away is told", async () => {
  const someone = await payingTwice();
  const path = "POST /subscriptions/:id/cancel";
  await paddle().strike({ scenario: "server-error", match: path, times: 1 });
  await expect(cancelHeld(someone.ctx, { id: someone.second })).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(await listHeld(someone.ctx)).toHaveLength(1);
  await paddle().clearFaults();
  await paddle().strike({ scenario: "change-reply-lost", match: path, times: 1 });
  await cancelHeld(someone.ctx, { id: someone.second });
  expect(await listHeld(someone.ctx)).toEqual([]);
});

test("nobody else's, and not the one that gives the plan", async () => {
  const [someone, other] = [await payingTwice(), await payer()];
  const absent = { code: "not_found" };
  await expect(cancelHeld(other.ctx, { id: someone.second })).rejects.toMatchObject(absent);
  await expect(cancelHeld(other.ctx, { id: "sub_unknown" })).rejects.toMatchObject(absent);
  await expect(cancelHeld(someone.ctx, { id: someone.id })).rejects.toMatchObject({ code: "wrong_state" });
  expect(await listHeld(other.ctx)).toEqual([]);
  expect(await statusAt(someone, someone.id)).toBe("active");
});

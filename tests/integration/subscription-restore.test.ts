import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { changePlan, restorePlans } from "#lib/features/billing/plan-changes.ts";
import type { PaidPlanSlug } from "#lib/features/billing/plans.ts";
import { type Payer, subscriptionWorld } from "./subscription-house.ts";

const { paddle, sync, job, subscriber, wait, wireOf, paidOf } = subscriptionWorld();

const PATCH = "PATCH /subscriptions/:id";
const GET = "GET /subscriptions/:id";
const change = ({ ctx }: Payer, plan: PaidPlanSlug) => changePlan(ctx, { plan });
const standing = async (someone: Payer) => {
  await sync();
  const { plan, next_plan } = await wireOf(someone);
  return [plan.slug, next_plan, (await paidOf(someone, "subscription_update")).length];
};
/** On growth, with basic from the renewal on. */
const leaving = async () => {
  const someone = await subscriber("growth");
  await change(someone, "basic");
  return someone;
};
/** An upgrade whose second call is not answered, nor read back. */
const breakUpgrade = async (someone: Payer, scenario: string) => {
  await paddle().strike({ scenario, match: PATCH, skip: 1, times: 1 });
  await paddle().strike({ scenario: "unavailable", match: GET, skip: 1, times: 1 });
  await expect(change(someone, "pro")).rejects.toMatchObject({ message: SETTINGS_TEXTS.unknownOutcome });
};
const later = async () => {
  await wait(20 * MINUTE_MS);
  return restorePlans(job());
};

describe("A-96 a smaller plan that waits for the renewal outlives an upgrade that fails", () => {
  test("the provider wants fewer calls: it waits again at once", async () => {
    const someone = await leaving();
    await paddle().strike({ scenario: "rate-limited", match: PATCH, skip: 1, times: 1 });
    await expect(change(someone, "pro")).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
    expect(await later()).toBe(0);
  });

  test("it is too busy to put it back, too: it waits again with the next round", async () => {
    const someone = await leaving();
    await paddle().strike({ scenario: "rate-limited", match: PATCH, skip: 1, times: 2 });
    await expect(change(someone, "pro")).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await standing(someone)).toEqual(["growth", null, 0]);
    expect(await restorePlans(job())).toBe(0);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
    expect(await later()).toBe(0);
  });

  test("nobody knows whether it was made: looked at later, it was not", async () => {
    const someone = await leaving();
    await breakUpgrade(someone, "unavailable");
    expect(await standing(someone)).toEqual(["growth", null, 0]);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
  });

  test("nobody knows whether it was made: looked at later, it was, and nothing is put over it", async () => {
    const someone = await leaving();
    await breakUpgrade(someone, "change-reply-lost");
    expect(await standing(someone)).toEqual(["pro", null, 1]);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["pro", null, 1]);
    expect(await later()).toBe(0);
  });

  test("the process dies before the charge: it waits again with the next round", async () => {
    const someone = await leaving();
    const { payments } = someone.ctx;
    const dying = {
      ...payments,
      changePrice: (...asked: Parameters<typeof payments.changePrice>) =>
        asked[2] === "prorate" ? Promise.reject(new Error("The process died.")) : payments.changePrice(...asked),
    };
    await expect(changePlan({ ...someone.ctx, payments: dying }, { plan: "pro" })).rejects.toThrow("died");
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
  });

  test("what is wanted after that counts: another try is charged once, and staying stays", async () => {
    const [again, staying] = [await leaving(), await leaving()];
    await breakUpgrade(again, "unavailable");
    await change(again, "pro");
    await breakUpgrade(staying, "unavailable");
    await change(staying, "growth");
    expect(await later()).toBe(0);
    expect(await standing(again)).toEqual(["pro", null, 1]);
    expect(await standing(staying)).toEqual(["growth", null, 0]);
  });
});

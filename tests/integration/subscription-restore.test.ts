import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { changePlan, restoreDowngrades } from "#lib/features/billing/plan-changes.ts";
import type { PaidPlanSlug } from "#lib/features/billing/plans.ts";
import { type Payer, subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, job, subscriber, wait, wireOf, paidOf } = subscriptionHarness();

const PATCH = "PATCH /subscriptions/:id";
const GET = "GET /subscriptions/:id";
const change = ({ ctx }: Payer, plan: PaidPlanSlug) => changePlan(ctx, { plan });
const standing = async (someone: Payer) => {
  await sync();
  const { plan, next_plan } = await wireOf(someone);
  return [plan.slug, next_plan, (await paidOf(someone, "subscription_update")).length];
};
/** A user on growth with a downgrade to basic scheduled for the renewal. */
const leaving = async () => {
  const someone = await subscriber("growth");
  await change(someone, "basic");
  return someone;
};
/** An upgrade whose second call gets no answer and cannot be read back. */
const breakUpgrade = async (someone: Payer, scenario: string) => {
  await paddle().addFault({ scenario, match: PATCH, skip: 1, times: 1 });
  await paddle().addFault({ scenario: "unavailable", match: GET, skip: 1, times: 1 });
  await expect(change(someone, "pro")).rejects.toMatchObject({ message: SETTINGS_TEXTS.unknownOutcome });
};
const later = async () => {
  await wait(20 * MINUTE_MS);
  return restoreDowngrades(job());
};

describe("A-96 a scheduled downgrade survives a failed upgrade", () => {
  test("rate limited: it is scheduled again immediately", async () => {
    const someone = await leaving();
    await paddle().addFault({ scenario: "rate-limited", match: PATCH, skip: 1, times: 1 });
    await expect(change(someone, "pro")).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
    expect(await later()).toBe(0);
  });

  test("restoring is rate limited too: the next run schedules it again", async () => {
    const someone = await leaving();
    await paddle().addFault({ scenario: "rate-limited", match: PATCH, skip: 1, times: 2 });
    await expect(change(someone, "pro")).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await standing(someone)).toEqual(["growth", null, 0]);
    expect(await restoreDowngrades(job())).toBe(0);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
    expect(await later()).toBe(0);
  });

  test("unknown outcome, checked later: the upgrade did not happen", async () => {
    const someone = await leaving();
    await breakUpgrade(someone, "unavailable");
    expect(await standing(someone)).toEqual(["growth", null, 0]);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
  });

  test("unknown outcome, checked later: the upgrade happened, and nothing overwrites it", async () => {
    const someone = await leaving();
    await breakUpgrade(someone, "change-reply-lost");
    expect(await standing(someone)).toEqual(["pro", null, 1]);
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["pro", null, 1]);
    expect(await later()).toBe(0);
  });

  test("the process dies before the charge: the next run schedules it again", async () => {
    const someone = await leaving();
    const { payments } = someone.ctx;
    const dying = {
      ...payments,
      changePrice: (...args: Parameters<typeof payments.changePrice>) =>
        args[2] === "prorate" ? Promise.reject(new Error("The process died.")) : payments.changePrice(...args),
    };
    await expect(changePlan({ ...someone.ctx, payments: dying }, { plan: "pro" })).rejects.toThrow("died");
    expect(await later()).toBe(1);
    expect(await standing(someone)).toEqual(["growth", "basic", 0]);
  });

  test("the user's next choice counts: another upgrade is charged once, and staying stays", async () => {
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

import { describe, expect, test } from "vitest";
import { OFFERS, PACK_CREDITS, type PackCredits, type PlanSlug } from "#lib/features/billing/plans.ts";
import { catalogWire, checkoutWire } from "#lib/features/billing/schema.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { callApp, signUp } from "#tests/support/contract-client.ts";
import { errorBody } from "./wire-harness.ts";

const PLANS = "/api/users/plans/";
const CHECKOUT = "/api/users/checkout/";
const prices = sandboxPrices();

/** The 28 required prices, in dollars. */
const REQUIRED_PRICES: Record<PlanSlug, number[]> = {
  free: [6, 18, 30, 60, 90, 120, 180],
  basic: [5, 15, 25, 50, 75, 100, 150],
  growth: [4.5, 13.5, 22.5, 45, 67.5, 90, 135],
  pro: [4, 12, 20, 40, 60, 80, 120],
};

describe("what is sold", () => {
  test("R-PRICE-03, R-PRICE-04, R-PRICE-05, R-PRICE-06, R-PRICE-07: the four plans in the documented fields, public, cached for a minute", async () => {
    for (const path of [PLANS, PLANS.slice(0, -1)]) {
      const { status, json, headers } = await callApp(path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
      const { plans } = catalogWire.strict().parse(json);
      expect(plans.map(({ id, price, popular, priceId }) => [id, price, popular, priceId])).toEqual([
        ["free", 0, false, null],
        ["basic", 29, true, prices["plan:basic"]],
        ["growth", 49, false, prices["plan:growth"]],
        ["pro", 79, false, prices["plan:pro"]],
      ]);
      expect(Object.keys(plans[0] ?? {}).sort()).toEqual(
        ["id", "name", "price", "description", "features", "buttonText", "popular", "priceId"].sort(),
      );
    }
  });

  test("R-BUY-05, R-BUY-07, R-PAY-01: all 28 packs, each with its own price and id", async () => {
    const { packs } = catalogWire.parse((await callApp(PLANS)).json);
    for (const [plan, required] of Object.entries(REQUIRED_PRICES)) {
      const ours = packs.filter((pack) => pack.plan === plan);
      expect(ours.map(({ credits }) => credits)).toEqual([...PACK_CREDITS]);
      expect(ours.map(({ price }) => price)).toEqual(required);
    }
    expect(new Set(packs.map(({ priceId }) => priceId)).size).toBe(28);
    expect(packs.map(({ plan, credits, priceId }) => prices[`pack:${plan}:${credits}`] === priceId)).not.toContain(
      false,
    );
  });

  test("a browser receives the client token and nothing secret", async () => {
    const { json, text } = await callApp(PLANS);
    const { checkout } = catalogWire.parse(json);
    expect(checkout).toMatchObject({ token: expect.stringMatching(/^test_/), environment: "sandbox" });
    expect(text).not.toMatch(/apikey|ntfset/);
  });
});

describe("starting a checkout", () => {
  test("R-BUY-18, A-23: a pack at the price of the free plan, with the documented custom data", async () => {
    const user = await signUp();
    const me = Object((await user.call("/api/users/me/")).json);
    for (const credits of PACK_CREDITS) {
      const { status, json } = await user.call(CHECKOUT, { method: "POST", body: { kind: "pack", credits } });
      const wire = checkoutWire.strict().parse(json);
      expect([status, wire.price_id, wire.customer_email]).toEqual([200, prices[`pack:free:${credits}`], me.email]);
      expect(wire.custom_data).toEqual({
        credits,
        plan_type: "free",
        user_id: me.id,
        purchase_ref: wire.purchase_ref,
      });
    }
    expect((await user.call("/api/users/credits/")).json).toEqual({ available_credits: 5 });
  });

  test("R-PRICE-12 a plan, with plan_id and user_id; extra input changes nothing (R-PAY-03)", async () => {
    const user = await signUp();
    const body = { kind: "plan", plan: "growth", price_id: prices["plan:basic"], user_id: "usr_other", credits: 9 };
    const { status, json } = await user.call(CHECKOUT, { method: "POST", body });
    const wire = checkoutWire.parse(json);
    expect([status, wire.price_id]).toEqual([200, prices["plan:growth"]]);
    expect(wire.custom_data).toEqual({
      plan_id: "growth",
      user_id: expect.stringMatching(/^usr_/),
      purchase_ref: wire.purchase_ref,
    });
  });

  test("R-ROLE-06 401 without a login", async () => {
    const { status, json } = await callApp(CHECKOUT, { method: "POST", body: { kind: "pack", credits: 100 } });
    expect([status, json]).toEqual([401, errorBody("unauthenticated")]);
  });

  test("only offers in the table can be bought", async () => {
    const user = await signUp();
    const bodies: unknown[] = [
      {},
      { kind: "pack" },
      { kind: "pack", credits: 101 },
      { kind: "pack", credits: "100" },
      { kind: "pack", credits: -100 },
      { kind: "plan", plan: "free" },
      { kind: "plan", plan: "enterprise" },
      { kind: "gift", credits: 100 },
    ];
    for (const body of bodies) {
      const { status, json } = await user.call(CHECKOUT, { method: "POST", body });
      expect([body, status, json]).toEqual([body, 400, { ...errorBody("invalid"), fields: expect.any(Object) }]);
    }
  });
});

test("R-CONST-07 no discount: a pack costs its credits at the plan's price", () => {
  const wrong = [...OFFERS.values()].filter((offer) => {
    if (offer.kind === "plan") return false;
    const index = PACK_CREDITS.indexOf(offer.credits satisfies PackCredits);
    return offer.amountTenthsOfCent !== Math.round((REQUIRED_PRICES[offer.plan][index] ?? 0) * 1_000);
  });
  expect(wrong).toEqual([]);
});

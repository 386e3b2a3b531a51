import { describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { cancelWire, changeWire, paymentWire, subscriptionWire, urlWire } from "#lib/features/billing/schema.ts";
import { type AppResponse, type ContractUser, callApp, signUp } from "#tests/support/contract-client.ts";
import { controlPaddle } from "#tests/support/paddle.ts";
import { until } from "#tests/support/poll.ts";
import { errorBody } from "./wire-harness.ts";

const SUBSCRIPTION = "/api/users/subscription/";
const PAYMENTS = "/api/users/payments/";
const CANCELED = "Your subscription has been canceled. You'll still have access until the end of your billing period.";

const payments = z.array(paymentWire.strict());
const paddle = () => controlPaddle(inject("app").paddleUrl);
const post = (user: ContractUser, path: string, body: unknown = {}) => user.call(path, { method: "POST", body });
const readSubscription = async (user: ContractUser) =>
  subscriptionWire.strict().parse((await user.call(SUBSCRIPTION)).json);
const readPayments = async (user: ContractUser) => payments.parse((await user.call(PAYMENTS)).json);

/** Waits until the webhooks of a change have been applied. */
const awaitSubscription = (user: ContractUser, wanted: Record<string, unknown>) =>
  until(
    async () => {
      const subscription = await readSubscription(user);
      expect(subscription).toMatchObject(wanted);
      return subscription;
    },
    { what: JSON.stringify(wanted), deadlineMs: 60_000 },
  );

/** A new user who has paid for a plan at the stand-in, without a browser. */
const subscribe = async (offer = "plan:basic"): Promise<ContractUser> => {
  const user = await signUp();
  const { id } = Object((await user.call("/api/users/me/")).json);
  await paddle().buy({ userId: id, email: user.email }, offer);
  await awaitSubscription(user, { status: "active", plan: { slug: offer.split(":")[1] } });
  return user;
};

const FREE = {
  status: "no_subscription",
  auto_renew: false,
  end_date: null,
  plan: { id: "free", name: "Free", slug: "free", price: 0, features: { extra_credit_price: 0.06, credits: 5 } },
  next_plan: null,
  payment_problem: null,
};

describe("R-API-15 GET /api/users/subscription/", () => {
  test("A-23 R-ENT-12 always 200: the free plan for users who never paid, with and without the slash", async () => {
    const user = await signUp();
    for (const path of [SUBSCRIPTION, SUBSCRIPTION.slice(0, -1), `${SUBSCRIPTION}?user_id=usr_1`]) {
      const { status, json } = await user.call(path);
      expect([status, json]).toEqual([200, FREE]);
    }
  });

  test("R-SUB-01 R-ENT-12 a paid plan with its credits", async () => {
    const user = await subscribe();
    expect(await readSubscription(user)).toMatchObject({
      status: "active",
      auto_renew: true,
      end_date: expect.stringMatching(/T.*Z$/),
      plan: { id: "basic", price: 29, features: { extra_credit_price: 0.05, credits: 400 } },
    });
    expect((await user.call("/api/users/credits/")).json).toEqual({ available_credits: 400 });
  });
});

describe("R-API-16 GET /api/users/payments/", () => {
  test("A-19 a bare list, empty at first; page by page with a Link header", async () => {
    const free = await signUp();
    expect([(await free.call(PAYMENTS)).status, await readPayments(free)]).toEqual([200, []]);
    const user = await subscribe();
    const { id } = Object((await user.call("/api/users/me/")).json);
    await paddle().buy({ userId: id, email: user.email }, "pack:basic:100");
    const all = await until(
      async () => {
        const found = await readPayments(user);
        return found.length === 2 && found.every(({ status }) => status === "successful") ? found : null;
      },
      { what: "both payments", deadlineMs: 60_000 },
    );
    expect(all).toMatchObject([
      {
        description: "100 credits",
        amount: 5,
        currency: "USD",
        status: "successful",
        payment_method: "Visa ending in 4242",
      },
      { description: "Basic plan", amount: 29, transaction_id: all[1]?.id, has_receipt: true, refunded: 0 },
    ]);
    const first = await user.call(`${PAYMENTS}?limit=1`);
    expect(payments.parse(first.json)).toEqual(all.slice(0, 1));
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await user.call(next);
    expect([payments.parse(second.json), second.headers.get("link")]).toEqual([all.slice(1), null]);
  });

  test.each(["limit=0", "limit=x", "limit=201", "cursor=elsewhere"])("%s is 400", async (query) => {
    const { status, json } = await (await signUp()).call(`${PAYMENTS}?${query}`);
    expect(status).toBe(400);
    expect(json).toMatchObject(errorBody("invalid"));
  });
});

describe("R-API-17 POST /api/users/subscription/cancel/", () => {
  test("A-20 A-21 R-SUB-02 R-SET-07 R-SET-08 R-ERR-19 an empty body returns {message, subscription}, again the same; then it is undone", async () => {
    const user = await subscribe();
    const bodies: AppResponse[] = [];
    for (const body of [{}, "", { subscription_id: "sub_other" }])
      bodies.push(await post(user, `${SUBSCRIPTION}cancel/`, body));
    for (const { status, json } of bodies) {
      expect([status, cancelWire.strict().parse(json)]).toMatchObject([
        200,
        {
          message: CANCELED,
          subscription: { status: "active (canceling)", auto_renew: false, plan: { slug: "basic" } },
        },
      ]);
    }
    await awaitSubscription(user, { status: "active (canceling)", auto_renew: false });
    const kept = await post(user, `${SUBSCRIPTION}resume/`);
    expect([kept.status, cancelWire.strict().parse(kept.json)]).toMatchObject([
      200,
      { message: SETTINGS_TEXTS.resumed, subscription: { status: "active", auto_renew: true } },
    ]);
    await awaitSubscription(user, { status: "active", auto_renew: true });
  });

  test.each(["cancel/", "resume/", "portal/"])("R-SUB-04 %s without a paid plan: 409 with a text", async (what) => {
    const user = await signUp();
    const { status, json } = await post(user, `${SUBSCRIPTION}${what}`);
    expect([status, json]).toEqual([409, errorBody("wrong_state")]);
  });
});

describe("A-96 POST /api/users/subscription/change/", () => {
  test("a preview changes nothing; the change takes effect with its payment; a smaller plan waits", async () => {
    const user = await subscribe();
    const preview = changeWire
      .strict()
      .parse((await post(user, `${SUBSCRIPTION}change/`, { plan: "growth", preview: true })).json);
    expect(preview).toMatchObject({
      subscription: null,
      preview: { currency: "USD", next_total: 49, takes_effect: "now" },
    });
    expect(await readSubscription(user)).toMatchObject({ plan: { slug: "basic" }, next_plan: null });
    const made = changeWire.strict().parse((await post(user, `${SUBSCRIPTION}change/`, { plan: "growth" })).json);
    expect(made.preview).toBeNull();
    await awaitSubscription(user, { plan: { slug: "growth" } });
    expect((await user.call("/api/users/credits/")).json).toEqual({ available_credits: 1000 });
    await post(user, `${SUBSCRIPTION}change/`, { plan: "basic" });
    await awaitSubscription(user, { plan: { slug: "growth" }, next_plan: "basic" });
  });

  test.each([{}, { plan: "free" }, { plan: "enterprise" }, { plan: ["basic"] }, { plan: "basic", preview: "yes" }])(
    "%j is 400",
    async (body) => {
      const { status, json } = await post(await signUp(), `${SUBSCRIPTION}change/`, body);
      expect(status).toBe(400);
      expect(json).toMatchObject(errorBody("invalid"));
    },
  );
});

describe("URLs of the provider", () => {
  test("R-ROLE-04 a receipt and the portal are for the owner only; for others the payment does not exist", async () => {
    const [user, other] = [await subscribe(), await signUp()];
    const [payment] = await readPayments(user);
    const path = `${PAYMENTS}${payment?.id}/receipt/`;
    for (const address of [path, `${SUBSCRIPTION}portal/`]) {
      const { status, json } = await post(user, address);
      const { url } = urlWire.strict().parse(json);
      expect([status, url.startsWith(inject("app").paddleUrl)]).toEqual([200, true]);
    }
    for (const address of [path, `${PAYMENTS}txn_01hv8wptq8987qeep44cyrewp9/receipt/`, `${PAYMENTS}%00/receipt/`]) {
      const { status, json } = await post(other, address);
      expect([address, status === 404 || address.includes("%00"), json]).toEqual([
        address,
        true,
        errorBody(status === 404 ? "not_found" : "invalid"),
      ]);
    }
  });
});

test.each([
  ["GET", SUBSCRIPTION],
  ["GET", PAYMENTS],
  ["POST", `${SUBSCRIPTION}cancel/`],
  ["POST", `${SUBSCRIPTION}resume/`],
  ["POST", `${SUBSCRIPTION}change/`],
  ["POST", `${SUBSCRIPTION}portal/`],
  ["POST", `${PAYMENTS}txn_01hv8wptq8987qeep44cyrewp9/receipt/`],
])("R-ROLE-06 %s %s needs a login and accepts no other method", async (method, path) => {
  const body = method === "POST" ? { body: { plan: "basic" } } : {};
  const refused = await callApp(path, { method, ...body });
  expect([refused.status, refused.json]).toEqual([401, errorBody("unauthenticated")]);
  const other = await callApp(path, { method: method === "POST" ? "GET" : "DELETE" });
  expect([other.status, other.headers.get("allow")?.includes(method)]).toEqual([405, true]);
});

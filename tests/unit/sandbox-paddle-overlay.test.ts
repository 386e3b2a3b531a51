import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, DAY_MS, type Harness, PRICES, spec, startHarness } from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

type Answer = { html?: string; close?: true; error?: { code: string }; events: { name: string; data: EventData }[] };
type EventData = { id: string; transaction_id: string; status: string; totals: Record<string, number> } & Json;
type Json = Record<string, unknown>;

const send = async (path: string, body: unknown) => {
  const answer = await fetch(`${harness.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const read: Answer = JSON.parse(await answer.text());
  return { status: answer.status, ...read };
};
const open = (order: Json, token = "test_client") => send("/checkout/open", { token, order });
const order = {
  items: [{ price_id: PRICES.pack100, quantity: 2 }],
  customer: { email: "a@example.com" },
  custom_data: { credits: 100 },
};
const card = { number: CARDS.good, expiry: "12/40", cvc: "100", holder: "A Buyer" };
const get = async (path: string) => {
  const answer = await fetch(new URL(path, harness.url), { redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe("the checkout's script and frame", () => {
  test("the script is served unchanged to pages of any origin", async () => {
    const { status, headers, text } = await get("/paddle.js");
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(text).toContain("window.PaddleBillingV1 = {");
  });

  test("the frame runs only its own script, in both themes, and loads nothing external", async () => {
    const { headers, text } = await get("/checkout/frame?theme=dark");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors \*$/,
    );
    for (const [, address = ""] of text.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)) {
      expect(address).toMatch(/^\//);
      expect([address, (await get(address)).status]).toEqual([address, 200]);
    }
    expect((await get("/checkout/theme.css?theme=dark")).text).toContain("color-scheme: dark");
    const light = (await get("/checkout/theme.css?theme=light")).text;
    expect(light).toContain("color-scheme: light");
    expect(light).not.toContain("prefers-color-scheme");
  });

  test("faults make the script fail or go missing", async () => {
    await harness.control("POST", "/faults", { scenario: "script-missing" });
    expect((await get("/paddle.js")).status).toBe(404);
    await harness.control("POST", "/faults", { scenario: "script-fails" });
    expect((await get("/paddle.js")).status).toBe(500);
    expect((await get("/paddle.js")).status).toBe(200);
  });
});

describe("the steps of a checkout", () => {
  test("R-PAY-04 an event contains amounts as numbers, the product, the transaction and the custom data", async () => {
    const { events, html } = await open(order);
    expect(events.map(({ name }) => name)).toEqual(["checkout.loaded", "checkout.customer.created"]);
    const [loaded] = events;
    expect(loaded?.data).toMatchObject({
      id: loaded?.data.transaction_id.replace("txn_", "che_"),
      status: "ready",
      currency_code: "USD",
      customer: { email: "a@example.com", id: expect.stringMatching(/^ctm_/) },
      items: [
        {
          price_id: PRICES.pack100,
          price_name: "Credits",
          quantity: 2,
          product: { id: expect.stringMatching(/^pro_/), name: "Credits" },
          totals: { subtotal: 27, discount: 0, tax: 0, total: 27 },
        },
      ],
      totals: { subtotal: 27, discount: 0, tax: 0, total: 27, credit: 0, balance: 27 },
      payment: { method_details: { type: "none" } },
      custom_data: { credits: 100 },
      product_id: expect.stringMatching(/^pro_/),
    });
    expect(html).toContain("Pay $27.00");
  });

  test("amounts of a zero-decimal currency are whole", async () => {
    await harness.control("PATCH", "/settings", { country: "JP" });
    const { events } = await open({ ...order, customer: { email: "jp@example.com" } });
    await harness.control("PATCH", "/settings", { country: "US" });
    expect(events[0]?.data).toMatchObject({ currency_code: "JPY", totals: { total: 4_050 } });
  });

  test("a checkout submitted twice is paid once and reports it twice", async () => {
    const { events } = await open(order);
    const path = `/checkout/${events[0]?.data.id}/pay`;
    const both = await Promise.all([send(path, card), send(path, card)]);
    expect(both.map((item) => item.events.map(({ name }) => name))).toEqual([
      ["checkout.completed"],
      ["checkout.completed"],
    ]);
    const { payments } = await harness.paddle.transactions.get(events[0]?.data.transaction_id ?? "");
    expect(payments).toHaveLength(1);
    const view = await send(path.replace("pay", "view"), {});
    expect(view.events.map(({ name }) => name)).toEqual(["checkout.completed"]);
  });

  test("the bank's confirmation decides once; when it is denied, the card can be tried again", async () => {
    const items = [{ price_id: PRICES.basic, quantity: 1 }];
    const path = `/checkout/${(await open({ ...order, items })).events[0]?.data.id}`;
    const attemptOf = async () => {
      const { html = "" } = await send(`${path}/pay`, { ...card, number: CARDS.challenged });
      return /name="attempt" value="([^"]+)"/.exec(html)?.[1];
    };
    const attempt = await attemptOf();
    const refused = await send(`${path}/challenge`, { attempt, answer: "refuse" });
    expect(refused.events.map(({ name }) => name)).toEqual(["checkout.payment.failed"]);
    expect((await send(`${path}/challenge`, { attempt, answer: "approve" })).status).toBe(404);
    const approved = await send(`${path}/challenge`, { attempt: await attemptOf(), answer: "approve" });
    const [completed] = approved.events;
    expect(completed?.name).toBe("checkout.completed");
    const { subscriptionId } = await harness.paddle.transactions.get(completed?.data.transaction_id ?? "");
    expect((await harness.paddle.subscriptions.get(subscriptionId ?? "")).status).toBe("active");
  });

  test.each([
    [{ number: "4242 4242 4242 4241" }, "Check the card number"],
    [{ number: "" }, "Check the card number"],
    [{ expiry: "13/40" }, "Enter month and year, like 04 / 30"],
    [{ expiry: "soon" }, "Enter month and year, like 04 / 30"],
    [{ cvc: "1" }, "Enter the 3 digits on the back"],
    [{ holder: " " }, "Enter the name on the card"],
  ])("a card like %j is not charged", async (wrong, text) => {
    const { events } = await open(order);
    const answer = await send(`/checkout/${events[0]?.data.id}/pay`, { ...card, holder: '"><script>', ...wrong });
    expect(answer.html).toContain(text);
    expect(answer.html).not.toContain("<script>");
    expect(answer.events).toEqual([]);
    const { payments } = await harness.paddle.transactions.get(events[0]?.data.transaction_id ?? "");
    expect(payments).toEqual([]);
  });

  test("a wrong token, an unknown price, too many, no items, no JSON and no transaction are rejected in Paddle's format", async () => {
    expect(await open(order, "test_other")).toMatchObject({ status: 403, error: { code: "forbidden" } });
    const refusals = [
      await open({ ...order, items: [{ price_id: `pri_${"z".repeat(26)}` }] }),
      await open({ ...order, items: [{ price_id: PRICES.pack100, quantity: 100_000 }] }),
      await open({ ...order, items: [{ price_id: PRICES.pack100, quantity: 0.5 }] }),
      await open({ ...order, items: "all" }),
      await open({}),
      await open({ transaction_id: `txn_${"z".repeat(26)}` }),
      await send("/checkout/che_1/pay", card),
      await send("/checkout/che_1/challenge", { attempt: "x", answer: "approve" }),
    ];
    for (const { status, error } of refusals)
      expect([status >= 400 && status < 500, typeof error?.code]).toEqual([true, "string"]);
    expect((await fetch(`${harness.url}/checkout/open`, { method: "POST", body: "{" })).status).toBe(400);
  });

  test("prices are previewed for pages of other origins, only with the seller's token", async () => {
    const ask = (token: string, request: Json) =>
      fetch(`${harness.url}/checkout/pricing-preview`, { method: "POST", body: JSON.stringify({ token, request }) });
    const good = await ask("test_client", { items: [{ price_id: PRICES.basic, quantity: 1 }] });
    expect([good.status, good.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect((await good.json()).data.details.line_items[0].formatted_totals.total).toBe("$29.00");
    const items = [{ price_id: PRICES.basic, quantity: 2 }];
    const shown = async (country: string) => {
      await harness.control("PATCH", "/settings", { country });
      const { currency_code, details } = (await (await ask("test_client", { items })).json()).data;
      const [{ totals, formatted_totals }] = details.line_items;
      return [currency_code, totals.total, formatted_totals.total];
    };
    expect(await shown("JP")).toEqual(["JPY", "8700", "¥8,700"]);
    await harness.control("PATCH", "/settings", { country: "DE", taxPercent: 19 });
    const here = await (await ask("test_client", { items: [{ price_id: PRICES.growth, quantity: 1 }] })).json();
    await harness.control("PATCH", "/settings", { country: "US", taxPercent: 0 });
    expect(spec.checkReply("POST", "/pricing-preview", 200, here)).toEqual({ ok: true });
    expect([here.data.currency_code, here.data.details.line_items[0].totals]).toEqual([
      "EUR",
      { subtotal: "6108", discount: "0", tax: "1160", total: "7268" },
    ]);
    expect((await ask("test_other", { items: [] })).status).toBe(403);
    const wrong = await ask("test_client", { items: "all" });
    expect([wrong.status, wrong.headers.get("access-control-allow-origin")]).toEqual([400, "*"]);
  });
});

describe("the customer portal and invoices", () => {
  const sessionOf = async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.declinedLater);
    const id = transaction.subscription_id ?? "";
    const { urls } = await harness.paddle.customerPortalSessions.create(transaction.customer_id, [id]);
    return { id, transaction, overview: urls.general.overview, ...urls.subscriptions[0] };
  };
  const post = (url: string, form: Record<string, string>) =>
    fetch(url, { method: "POST", body: new URLSearchParams(form) }).then((answer) => answer.text());

  test("A-99 a new card pays what is past due, after the bank's confirmation", async () => {
    const { id, updateSubscriptionPaymentMethod: url = "" } = await sessionOf();
    await harness.moveTo(32);
    expect((await harness.paddle.subscriptions.get(id)).status).toBe("past_due");
    const fresh = await harness.paddle.subscriptions.get(id);
    const link = fresh.managementUrls?.updatePaymentMethod ?? url;
    expect((await get(link)).text).toContain("$29.00 could not be charged");
    expect(await post(link, { ...card, number: CARDS.declined })).toContain("Your card was declined.");
    const requested = await post(link, { ...card, number: CARDS.challenged });
    const [, attempt = ""] = /name="attempt" value="([^"]+)"/.exec(requested) ?? [];
    const done = await post(link.replace("payment-method", "challenge"), { attempt, answer: "approve" });
    expect(done).toContain("Your balance is paid");
    expect((await harness.paddle.subscriptions.get(id)).status).toBe("active");
    await harness.control("POST", "/clock", { offsetMs: 0 });
  });

  test("an expired, invalid or other customer's link shows nothing", async () => {
    const [item, other] = [await sessionOf(), await sessionOf()];
    const foreign = (item.updateSubscriptionPaymentMethod ?? "").replace(item.id, other.id);
    expect((await get(foreign)).status).toBe(404);
    expect((await get("/portal/invented")).status).toBe(404);
    await harness.control("POST", "/clock", { offsetMs: 2 * DAY_MS });
    expect((await get(item.overview)).text).toContain("This link has expired");
    await harness.control("POST", "/clock", { offsetMs: 0 });
  });

  test("R-SET-04 an invoice is a PDF with the correct numbers, for anyone who has its URL", async () => {
    const { transaction } = await harness.buy(PRICES.pack500, CARDS.good);
    const { url } = await harness.paddle.transactions.getInvoicePDF(transaction.id);
    const { status, headers, text } = await get(url);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(text).toMatch(/^%PDF-1\.4\n/);
    expect(text).toContain("(Total paid: $49.50)");
    const [, start = "0"] = /startxref\n(\d+)\n/.exec(text) ?? [];
    expect(text.slice(Number(start))).toMatch(/^xref\n0 6\n/);
    expect((await get(url.replace(/token=.*/, "token=wrong"))).status).toBe(404);
    expect((await get("/")).text).toContain("$49.50");
  });
});

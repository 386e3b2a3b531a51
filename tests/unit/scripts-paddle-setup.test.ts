import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseEnv } from "#lib/env.ts";
import { PRICE_KEYS } from "#lib/features/billing/plans.ts";
import { createPayments } from "#lib/integrations/payments/client.ts";
import { OperatorError } from "#scripts/operator.ts";
import { readConnection, readNamedPrices, setUpCatalog } from "#scripts/paddle-catalog.ts";
import { readSettings } from "#scripts/settings-file.ts";
import { runCommand } from "#tests/support/operator-command.ts";
import { API_KEY, type Harness, startHarness } from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness({ catalog: [] });
});
afterEach(() => harness.close());

const client = () => createPayments({ apiKey: API_KEY, apiUrl: harness.url, webhookSecrets: [] });
const setUp = (isCheckOnly = false, named = {}) => setUpCatalog(client(), { isCheckOnly, named, log: () => undefined });
const all = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of list) found.push(item);
  return found;
};
const pricesThere = () => all(harness.paddle.prices.list({ status: ["active"] }));
const fault = (rule: Record<string, unknown>) => harness.control("POST", "/faults", rule);

describe("R-PAY-01 setting up a Paddle environment", () => {
  test("R-PRICE-08 creates 31 prices of 10 products once, however often it runs", async () => {
    const first = await setUp();
    expect(Object.keys(first.prices)).toEqual([...PRICE_KEYS]);
    expect(first).toMatchObject({ missing: [], differences: [] });
    expect(await setUp()).toEqual(first);
    expect(await pricesThere()).toHaveLength(31);
    expect(await all(harness.paddle.products.list())).toHaveLength(10);
    const basic = await harness.paddle.prices.get(first.prices["plan:basic"] ?? "");
    expect(basic).toMatchObject({
      unitPrice: { amount: "2900", currencyCode: "USD" },
      billingCycle: { interval: "month", frequency: 1 },
      quantity: { minimum: 1, maximum: 1 },
      customData: { key: "plan:basic" },
    });
    const pack = await harness.paddle.prices.get(first.prices["pack:pro:3000"] ?? "");
    expect(pack).toMatchObject({ unitPrice: { amount: "12000" }, billingCycle: null });
  });

  test("continues after it was interrupted before or after a call", async () => {
    await fault({ match: "POST /products", skip: 4, after: "creating", status: 500, body: {} });
    await expect(setUp()).rejects.toThrow(OperatorError);
    expect(await pricesThere()).toHaveLength(4);
    await fault({ scenario: "unavailable", match: "POST /prices", skip: 7 });
    await expect(setUp()).rejects.toThrow(/Could not create pack:.* Run it again/);
    expect(await pricesThere()).toHaveLength(11);
    await fault({ match: "POST /prices", skip: 5, after: "creating", cut: true });
    await expect(setUp()).rejects.toThrow(OperatorError);
    const { missing, prices } = await setUp();
    expect([missing, Object.keys(prices).length]).toEqual([[], 31]);
    expect(await pricesThere()).toHaveLength(31);
    expect(await all(harness.paddle.products.list())).toHaveLength(10);
  });

  test("obeys Retry-After", async () => {
    await fault({ scenario: "rate-limited", match: "POST /prices", headers: { "retry-after": "1" } });
    expect((await setUp()).missing).toEqual([]);
  });

  test("reports a price with another amount, currency or interval, and changes nothing", async () => {
    const { prices } = await setUp();
    await harness.paddle.prices.update(prices["plan:growth"] ?? "", {
      unitPrice: { amount: "4800", currencyCode: "EUR" },
      billingCycle: { interval: "month", frequency: 3 },
    });
    await harness.paddle.prices.update(prices["pack:free:100"] ?? "", { status: "archived" });
    const checked = await setUp();
    expect(checked.differences).toEqual([
      `plan:growth (${prices["plan:growth"]}): 48 EUR each 3 month in Paddle, 49 USD each month in our table`,
    ]);
    expect(checked.missing).toEqual(["pack:free:100"]);
    expect(await pricesThere()).toHaveLength(30);
  });

  test("an archived price is replaced by a new one and stays listed after it", async () => {
    const { prices } = await setUp();
    await harness.paddle.prices.update(prices["pack:free:100"] ?? "", { status: "archived" });
    const again = await setUp();
    expect(again.prices["pack:free:100"]).toMatch(/^pri_/);
    expect(again.prices["pack:free:100"]).not.toBe(prices["pack:free:100"]);
    expect(again.former).toEqual({ "pack:free:100": [prices["pack:free:100"]] });
    const elsewhere = `pri_${"0".repeat(26)}`;
    const named = { "pack:free:100": [again.prices["pack:free:100"] ?? "", elsewhere] };
    expect((await setUp(true, named)).former).toEqual({
      "pack:free:100": [prices["pack:free:100"], elsewhere],
    });
  });

  test("with --check nothing is created", async () => {
    const { missing, prices } = await setUp(true);
    expect([missing, prices]).toEqual([[...PRICE_KEYS], {}]);
    expect(await pricesThere()).toEqual([]);
  });

  test("reports two prices with one key, and a key in PADDLE_PRICES that differs", async () => {
    const { prices } = await setUp();
    const basic = await harness.paddle.prices.get(prices["plan:basic"] ?? "");
    const { id } = await harness.paddle.prices.create({
      productId: basic.productId,
      description: "Another",
      unitPrice: { amount: "2900", currencyCode: "USD" },
      billingCycle: { interval: "month", frequency: 1 },
      customData: { key: "plan:basic" },
    });
    const { differences } = await setUp(true, { "plan:basic": [id], "plan:pro": [`pri_${"0".repeat(26)}`] });
    expect(differences).toEqual([
      expect.stringMatching(/^plan:basic: 2 active prices/),
      `plan:pro: PADDLE_PRICES lists pri_${"0".repeat(26)}, but the price is ${prices["plan:pro"]}`,
    ]);
  });
});

describe("R-PAY-01 the command", () => {
  const run = (args: string[], more = {}) =>
    runCommand("paddle-setup.ts", args, { PADDLE_API_KEY: API_KEY, PADDLE_API_URL: harness.url, ...more });

  test("prints the line for .env, and compares", async () => {
    const unmade = await run(["--check"]);
    expect([unmade.code, unmade.out]).toEqual([1, ""]);
    expect(unmade.err).toContain("Missing: plan:basic\n");
    const made = await run([]);
    expect([made.code, made.err]).toEqual([0, expect.stringContaining("Created plan:basic: pri_")]);
    const file = join(mkdtempSync(join(tmpdir(), "paddle-setup-")), ".env");
    writeFileSync(file, made.out);
    const { PADDLE_PRICES = "" } = readSettings(file, {});
    expect(Object.keys(JSON.parse(PADDLE_PRICES))).toEqual([...PRICE_KEYS]);
    expect(() => parseEnv({ PADDLE_PRICES })).not.toThrow(/PADDLE_PRICES/);
    const { "plan:pro": former } = JSON.parse(PADDLE_PRICES);
    await harness.paddle.prices.update(former, { status: "archived" });
    const replaced = await run([], { PADDLE_PRICES });
    const line = replaced.out.trim().slice("PADDLE_PRICES=".length);
    expect(JSON.parse(line)["plan:pro"]).toEqual([expect.stringMatching(/^pri_/), former]);
    expect(() => parseEnv({ PADDLE_PRICES: line })).not.toThrow(/PADDLE_PRICES/);
    const checked = await run(["--check"], { PADDLE_PRICES: line });
    expect([checked.code, checked.out, checked.err]).toEqual([
      0,
      "",
      expect.stringContaining("Everything matches our table"),
    ]);
  }, 180_000);

  test("wrong usage and errors are reported in a sentence", async () => {
    expect(await run(["--force"])).toMatchObject({ code: 2, err: expect.stringContaining("Usage:") });
    const refused = await run([], { PADDLE_API_KEY: "pdl_sdbx_apikey_wrong" });
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("Payments aren't set up correctly");
    expect(refused.err).not.toContain("pdl_sdbx_apikey_wrong");
  }, 180_000);

  test("a key of the other environment is detected before any call", () => {
    const live = { PADDLE_API_KEY: "pdl_live_apikey_x" };
    expect(readConnection(live)).toEqual({ apiKey: "pdl_live_apikey_x", apiUrl: "production" });
    expect(() => readConnection({ ...live, PADDLE_ENVIRONMENT: "sandbox" })).toThrow("is a production key");
    expect(() => readConnection({ PADDLE_API_KEY: "pdl_sdbx_apikey_x" })).toThrow("is a sandbox key");
    expect(() => readConnection({})).toThrow("PADDLE_API_KEY is missing");
    expect(() => readNamedPrices({ PADDLE_PRICES: "{" })).toThrow("PADDLE_PRICES is not valid JSON");
    expect(() => readNamedPrices({ PADDLE_PRICES: '{"plan:basic":1}' })).toThrow("PADDLE_PRICES is not valid JSON");
    expect(readNamedPrices({})).toEqual({});
  });
});

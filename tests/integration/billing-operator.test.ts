import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { paymentEvents, payments } from "#db/schema/billing.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { RELEASE_TEXTS } from "#lib/features/billing/constants.ts";
import { releasePayment } from "#lib/features/billing/held-payments.ts";
import { findHeldPayments } from "#lib/features/billing/queries.ts";
import { replayEvents } from "#lib/features/billing/webhooks.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { type Buyer, type ProviderEvent, returnOf, saleOf, termOf } from "#tests/support/billing.ts";
import { runCommand } from "#tests/support/operator-command.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, webhookCtx, buyer, deliver, credits, eventsOpen, month } = billingHarness();

const LONG_MS = 300_000;
const packOf = (who: Buyer, key = "pack:free:100") =>
  saleOf(who, { items: [[key, 1]], at: addMs(harness().now(), -HOUR_MS) });
const run = (script: string, ...args: string[]) =>
  runCommand(script, args, {
    DATABASE_URL: database().url,
    PADDLE_PRICES: JSON.stringify(sandboxPrices()),
    SUPPORT_EMAIL: "support@example.com",
    ENCRYPTION_KEY: "11".repeat(32),
  });
const eventIdOf = async (id: unknown): Promise<string> => {
  const rows = await database().db.select().from(paymentEvents);
  return rows.find(({ fact }) => Object(Object(fact).transaction).id === id)?.eventId ?? "";
};

test("a replay grants nothing twice and grants what was missing", async () => {
  const who = await buyer();
  const sale = packOf(who);
  await deliver(sale);
  const eventId = await eventIdOf(sale.data.id);
  expect(await replayEvents(webhookCtx(), { kind: "event", eventId })).toEqual({ processed: 1, failed: 0 });
  expect(await credits(who)).toEqual([5, 100]);
  // Simulates a restored older backup: the event exists, its effects do not.
  const lost = await buyer();
  const other = packOf(lost);
  await deliver(other);
  await database()
    .db.delete(payments)
    .where(eq(payments.id, String(other.data.id)));
  await replayEvents(webhookCtx(), { kind: "since", since: new Date(0) });
  expect(await credits(lost)).toEqual([5, 100]);
  expect(await eventsOpen()).toBe(0);
  await expect(replayEvents(webhookCtx(), { kind: "event", eventId: "evt_nothing" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a held payment is granted once its obstacle is gone", async () => {
  const who = await buyer();
  await deliver(packOf(who, "pack:basic:100"));
  expect(await credits(who)).toEqual([5, 0]);
  await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
  await replayEvents(webhookCtx(), { kind: "held" });
  expect((await credits(who))[1]).toBe(100);
});

const refusal = (text: string) => ({ code: "wrong_state", message: text });
const give = (providerEvent: ProviderEvent, amount: number | null = null) =>
  releasePayment(webhookCtx(), { kind: "give", transactionId: String(providerEvent.data.id), credits: amount });

test("R-PAY-03 a held pack released by an operator is granted once, even if its plan arrives later, and a refund takes it", async () => {
  const who = await buyer();
  const sale = packOf(who, "pack:basic:500");
  await deliver(sale);
  expect(await give(sale)).toEqual({ credits: 500 });
  await expect(give(sale)).rejects.toMatchObject(refusal(RELEASE_TEXTS.notHeld));
  await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
  await replayEvents(webhookCtx(), { kind: "held" });
  await replayEvents(webhookCtx(), { kind: "event", eventId: await eventIdOf(sale.data.id) });
  expect((await credits(who))[1]).toBe(500);
  await deliver(returnOf({ of: sale, at: harness().now() }));
  expect((await credits(who))[1]).toBe(0);
});

test("an unknown price grants the operator's number of credits; a refunded one is closed for good", async () => {
  const [who, other] = [await buyer(), await buyer()];
  const [strange, foreign] = [packOf(who, "nothing of ours"), packOf(other, "pack:pro:1000")];
  await deliver(strange, foreign);
  await expect(give(strange)).rejects.toMatchObject(refusal(RELEASE_TEXTS.howMany));
  await expect(give(strange, 0)).rejects.toMatchObject({ code: "invalid" });
  await expect(give(foreign, 5)).rejects.toMatchObject(refusal(RELEASE_TEXTS.fixed));
  expect(await give(strange, 150)).toEqual({ credits: 150 });
  await replayEvents(webhookCtx(), { kind: "since", since: new Date(0) });
  expect((await credits(who))[1]).toBe(150);
  const half = { of: strange, at: harness().now(), totalMinor: 1450 };
  await deliver(returnOf(half));
  expect((await credits(who))[1]).toBe(75);

  await releasePayment(webhookCtx(), { kind: "close", transactionId: String(foreign.data.id) });
  await deliver(returnOf({ of: foreign, at: harness().now() }));
  await setPlan(other.ctx, { userId: other.userId, plan: "pro", planEndsAt: null });
  await replayEvents(webhookCtx(), { kind: "held" });
  expect((await credits(other))[1]).toBe(0);
  expect((await findHeldPayments(webhookCtx(), other.userId)).length).toBe(0);
  await expect(give(foreign)).rejects.toMatchObject(refusal(RELEASE_TEXTS.notHeld));
});

test("R-PAY-01 R-PAY-03 a price added to PADDLE_PRICES is granted by the table: by release, by --held, plans too", async () => {
  const [packs, plans, wrong, other] = [await buyer(), await buyer(), await buyer(), await buyer()];
  const prices = { ...harness().settings.prices };
  const without = (...keys: string[]) =>
    Object.assign(harness().settings, {
      prices: Object.fromEntries(Object.entries(prices).filter(([key]) => !keys.includes(key))),
    });
  const sold = packOf(packs, "pack:free:300");
  const mistaken = packOf(wrong, "pack:free:300");
  const processed = packOf(other, "pack:free:300");
  const { paid, term } = month(plans, "plan:basic");
  without("pack:free:300", "plan:basic");
  try {
    await deliver(sold, mistaken, processed, paid, term);
    await expect(give(sold)).rejects.toMatchObject(refusal(RELEASE_TEXTS.howMany));
  } finally {
    Object.assign(harness().settings, { prices });
  }
  expect(await give(sold)).toEqual({ credits: 300 });
  expect((await credits(packs))[1]).toBe(300);
  await expect(give(mistaken, 20)).rejects.toMatchObject(refusal(RELEASE_TEXTS.fixed));
  expect((await credits(wrong))[1]).toBe(0);
  expect(await give(paid)).toEqual({ credits: 0 });
  expect(await credits(plans)).toEqual([400, 0]);
  await replayEvents(webhookCtx(), { kind: "held" });
  expect((await credits(other))[1]).toBe(300);
  await deliver(returnOf({ of: sold, at: harness().now() }));
  expect((await credits(packs))[1]).toBe(0);
});

test("a plan cannot be granted by hand", async () => {
  const who = await buyer();
  const [first, second] = [month(who, "plan:basic"), month(who, "plan:pro", 3)];
  await deliver(first.paid, first.term, second.paid, second.term);
  await expect(give(second.paid)).rejects.toMatchObject(refusal(RELEASE_TEXTS.plan));
  await releasePayment(webhookCtx(), { kind: "close", transactionId: String(second.paid.data.id) });
  await replayEvents(webhookCtx(), { kind: "held" });
  await deliver(returnOf({ of: second.paid, at: harness().now() }));
  const { id, period } = second;
  await deliver(termOf(who, { id, key: "plan:pro", at: harness().now(), ...period, status: "canceled" }));
  expect(await credits(who)).toEqual([400, 0]);
  expect(await findHeldPayments(webhookCtx(), who.userId)).toEqual([]);
});

test(
  "the commands tell what they did, and how they are used",
  async () => {
    const [who, held] = [await buyer(), await buyer()];
    const [sale, strange] = [packOf(who), packOf(held, "nothing of ours")];
    await deliver(sale, strange);
    const eventId = await eventIdOf(sale.data.id);
    const listed = await run("payments-events.ts", "--user", who.email);
    expect(listed).toMatchObject({ code: 0, err: "" });
    expect(listed.out).toContain(`transaction.completed  ${eventId}  ${sale.data.id}  webhook  applied`);
    expect(listed.out).toContain("1 events.");
    const open = await run("payments-events.ts", "--open");
    expect(open.out).toContain("0 events.");
    expect(open.out).toContain(`held  ${strange.data.id}  ${held.userId}`);
    expect(await run("payments-release.ts", String(strange.data.id), "--credits", "20")).toEqual({
      code: 0,
      out: "Granted 20 credits.\n",
      err: "",
    });
    expect(await run("payments-release.ts", String(strange.data.id), "--refunded")).toEqual({
      code: 1,
      out: "",
      err: `${RELEASE_TEXTS.notHeld}\n`,
    });
    expect(await run("payments-release.ts", "--refunded")).toMatchObject({ code: 2 });
    expect(await run("payments-replay.ts", eventId)).toMatchObject({
      code: 0,
      out: "Applied 1 events again; 0 failed.\n",
      err: "",
    });
    expect((await run("payments-replay.ts", "--held")).out).toMatch(
      /^Checked the held payments of \d+ users again\.\n$/,
    );
    expect(await run("payments-replay.ts")).toMatchObject({ code: 2, err: expect.stringContaining("Usage") });
    expect(await run("payments-replay.ts", "--since", "yesterday")).toMatchObject({ code: 2 });
    expect(await run("payments-events.ts", "--user", "nobody@example.com")).toMatchObject({ code: 1 });
    expect(await credits(who)).toEqual([5, 100]);
  },
  LONG_MS,
);

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { paymentEvents, payments } from "#db/schema/billing.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { RELEASE_TEXTS } from "#lib/features/billing/constants.ts";
import { releasePayment } from "#lib/features/billing/held-payments.ts";
import { findHeldPayments } from "#lib/features/billing/queries.ts";
import { replayEvents } from "#lib/features/billing/webhooks.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { playedPrices } from "#scripts/catalogue.ts";
import { type Buyer, type News, returnOf, saleOf, termOf } from "#tests/support/billing.ts";
import { runCommand } from "#tests/support/operator-command.ts";
import { billingHouse } from "./billing-house.ts";

const { house, database, door, buyer, tell, credits, eventsOpen, month } = billingHouse();

const LONG_MS = 300_000;
const packOf = (who: Buyer, key = "pack:free:100") =>
  saleOf(who, { items: [[key, 1]], at: addMs(house().now(), -HOUR_MS) });
const run = (script: string, ...args: string[]) =>
  runCommand(script, args, {
    DATABASE_URL: database().url,
    PADDLE_PRICES: JSON.stringify(playedPrices()),
    SUPPORT_EMAIL: "support@example.com",
    ENCRYPTION_KEY: "11".repeat(32),
  });
const eventIdOf = async (id: unknown): Promise<string> => {
  const rows = await database().db.select().from(paymentEvents);
  return rows.find(({ fact }) => Object(Object(fact).transaction).id === id)?.eventId ?? "";
};

test("a replay gives nothing twice, and gives what was lost", async () => {
  const who = await buyer();
  const sale = packOf(who);
  await tell(sale);
  const eventId = await eventIdOf(sale.data.id);
  expect(await replayEvents(door(), { kind: "event", eventId })).toEqual({ looked: 1, failed: 0 });
  expect(await credits(who)).toEqual([5, 100]);
  // As from a backup of before: the event is here, what it told of is not.
  const lost = await buyer();
  const other = packOf(lost);
  await tell(other);
  await database()
    .db.delete(payments)
    .where(eq(payments.id, String(other.data.id)));
  await replayEvents(door(), { kind: "since", since: new Date(0) });
  expect(await credits(lost)).toEqual([5, 100]);
  expect(await eventsOpen()).toBe(0);
  await expect(replayEvents(door(), { kind: "event", eventId: "evt_nothing" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a held payment is given once what stood against it is gone", async () => {
  const who = await buyer();
  await tell(packOf(who, "pack:basic:100"));
  expect(await credits(who)).toEqual([5, 0]);
  await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
  await replayEvents(door(), { kind: "held" });
  expect((await credits(who))[1]).toBe(100);
});

const refusal = (text: string) => ({ code: "wrong_state", message: text });
const give = (news: News, amount: number | null = null) =>
  releasePayment(door(), { kind: "give", transactionId: String(news.data.id), credits: amount });

test("R-PAY-03 a held pack that an operator gives is given once, also when its plan comes later, and a refund takes it", async () => {
  const who = await buyer();
  const sale = packOf(who, "pack:basic:500");
  await tell(sale);
  expect(await give(sale)).toEqual({ credits: 500 });
  await expect(give(sale)).rejects.toMatchObject(refusal(RELEASE_TEXTS.notHeld));
  await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
  await replayEvents(door(), { kind: "held" });
  await replayEvents(door(), { kind: "event", eventId: await eventIdOf(sale.data.id) });
  expect((await credits(who))[1]).toBe(500);
  await tell(returnOf({ of: sale, at: house().now() }));
  expect((await credits(who))[1]).toBe(0);
});

test("an unknown price is given in the number that the operator says; a refunded one is closed for good", async () => {
  const [who, other] = [await buyer(), await buyer()];
  const [strange, foreign] = [packOf(who, "nothing of ours"), packOf(other, "pack:pro:1000")];
  await tell(strange, foreign);
  await expect(give(strange)).rejects.toMatchObject(refusal(RELEASE_TEXTS.howMany));
  await expect(give(strange, 0)).rejects.toMatchObject({ code: "invalid" });
  await expect(give(foreign, 5)).rejects.toMatchObject(refusal(RELEASE_TEXTS.fixed));
  expect(await give(strange, 150)).toEqual({ credits: 150 });
  await replayEvents(door(), { kind: "since", since: new Date(0) });
  expect((await credits(who))[1]).toBe(150);
  const half = { of: strange, at: house().now(), totalMinor: 1450 };
  await tell(returnOf(half));
  expect((await credits(who))[1]).toBe(75);

  await releasePayment(door(), { kind: "close", transactionId: String(foreign.data.id) });
  await tell(returnOf({ of: foreign, at: house().now() }));
  await setPlan(other.ctx, { userId: other.userId, plan: "pro", planEndsAt: null });
  await replayEvents(door(), { kind: "held" });
  expect((await credits(other))[1]).toBe(0);
  expect((await findHeldPayments(door(), other.userId)).length).toBe(0);
  await expect(give(foreign)).rejects.toMatchObject(refusal(RELEASE_TEXTS.notHeld));
});

test("R-PAY-01 R-PAY-03 a price whose id joins PADDLE_PRICES is given by the table: by release, by --held, plans too", async () => {
  const [packs, plans, wrong, other] = [await buyer(), await buyer(), await buyer(), await buyer()];
  const prices = { ...house().settings.prices };
  const without = (...keys: string[]) =>
    Object.assign(house().settings, {
      prices: Object.fromEntries(Object.entries(prices).filter(([key]) => !keys.includes(key))),
    });
  const sold = packOf(packs, "pack:free:300");
  const mistaken = packOf(wrong, "pack:free:300");
  const looked = packOf(other, "pack:free:300");
  const { paid, term } = month(plans, "plan:basic");
  without("pack:free:300", "plan:basic");
  try {
    await tell(sold, mistaken, looked, paid, term);
    await expect(give(sold)).rejects.toMatchObject(refusal(RELEASE_TEXTS.howMany));
  } finally {
    Object.assign(house().settings, { prices });
  }
  expect(await give(sold)).toEqual({ credits: 300 });
  expect((await credits(packs))[1]).toBe(300);
  await expect(give(mistaken, 20)).rejects.toMatchObject(refusal(RELEASE_TEXTS.fixed));
  expect((await credits(wrong))[1]).toBe(0);
  expect(await give(paid)).toEqual({ credits: 0 });
  expect(await credits(plans)).toEqual([400, 0]);
  await replayEvents(door(), { kind: "held" });
  expect((await credits(other))[1]).toBe(300);
  await tell(returnOf({ of: sold, at: house().now() }));
  expect((await credits(packs))[1]).toBe(0);
});

test("a plan is not given by hand", async () => {
  const who = await buyer();
  const [first, second] = [month(who, "plan:basic"), month(who, "plan:pro", 3)];
  await tell(first.paid, first.term, second.paid, second.term);
  await expect(give(second.paid)).rejects.toMatchObject(refusal(RELEASE_TEXTS.plan));
  await releasePayment(door(), { kind: "close", transactionId: String(second.paid.data.id) });
  await replayEvents(door(), { kind: "held" });
  await tell(returnOf({ of: second.paid, at: house().now() }));
  const { id, period } = second;
  await tell(termOf(who, { id, key: "plan:pro", at: house().now(), ...period, status: "canceled" }));
  expect(await credits(who)).toEqual([400, 0]);
  expect(await findHeldPayments(door(), who.userId)).toEqual([]);
});

test(
  "the commands tell what they did, and how they are used",
  async () => {
    const [who, held] = [await buyer(), await buyer()];
    const [sale, strange] = [packOf(who), packOf(held, "nothing of ours")];
    await tell(sale, strange);
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
      out: "20 credits were given for it.\n",
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
      out: "Applied 1 events again; 0 could not be.\n",
      err: "",
    });
    expect((await run("payments-replay.ts", "--held")).out).toMatch(
      /^Looked again at the held payments of \d+ users\.\n$/,
    );
    expect(await run("payments-replay.ts")).toMatchObject({ code: 2, err: expect.stringContaining("Usage") });
    expect(await run("payments-replay.ts", "--since", "yesterday")).toMatchObject({ code: 2 });
    expect(await run("payments-events.ts", "--user", "nobody@example.com")).toMatchObject({ code: 1 });
    expect(await credits(who)).toEqual([5, 100]);
  },
  LONG_MS,
);

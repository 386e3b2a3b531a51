import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { creditTransfers } from "#db/schema/credits.ts";
import { AppError } from "#lib/core/errors.ts";
import { type GrantKey, grantPurchase, restoreGrant } from "#lib/features/credits/grants.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import {
  at,
  buckets,
  buy,
  createPerson,
  creditsHarness,
  hold,
  newName,
  november,
  october,
  type Person,
  pay,
  revoke,
  spend,
} from "./credits-harness.ts";

const harness = creditsHarness();

const release = ({ ctx }: Person, reference: string) => settleReservation(ctx, { reference, outcome: "release" });
const codeOf = (thrown: unknown) => (thrown instanceof AppError ? thrown.code : thrown);

describe("packs", () => {
  test("R-PAY-03: a transaction grants its credits once, even fifty times at once", async () => {
    const person = await createPerson(harness());
    const transactionId = newName("txn");
    const purchase = { userId: person.userId, transactionId, credits: 500, note: "Bought 500 credits" };
    const answers = await Promise.all(Array.from({ length: 50 }, () => grantPurchase(person.ctx, purchase)));
    expect(answers.filter(({ kind }) => kind === "granted")).toHaveLength(1);
    expect(await buckets(person)).toEqual([5, 500, 0]);
    expect(await grantPurchase(person.ctx, purchase)).toEqual({ kind: "already_granted", availableCredits: 505 });
  });

  test("only whole numbers of credits from 1", async () => {
    const { ctx, userId } = await createPerson(harness());
    for (const credits of [0, -100, 0.5]) {
      const granting = grantPurchase(ctx, { userId, transactionId: newName("txn"), credits, note: "" });
      expect(codeOf(await granting.catch((error: unknown) => error))).toBe("invalid");
    }
  });

  test("a refund takes what is left of its pack after the oldest credits were spent first", async () => {
    const person = await createPerson(harness());
    const [first, second] = [await buy(person, 100), await buy(person, 100)];
    // 5 of the free month, 60 of the first pack.
    await spend(person, 65);
    expect(await revoke(person, first, 100)).toEqual({ credits: 40 });
    expect(await buckets(person)).toEqual([0, 100, 0]);
    expect(await revoke(person, second, 30)).toEqual({ credits: 30 });
    expect(await revoke(person, second, 100)).toEqual({ credits: 70 });
    expect(await buckets(person)).toEqual([0, 0, 0]);
  });

  test("never goes below zero and leaves reserved credits alone", async () => {
    const person = await createPerson(harness());
    const pack = await buy(person, 10);
    await hold(person, 12);
    expect(await revoke(person, pack, 10)).toEqual({ credits: 3 });
    expect(await buckets(person)).toEqual([0, 0, 12]);
  });

  test("an adjustment takes credits once: repeated, concurrent, and when nothing was left", async () => {
    const person = await createPerson(harness());
    const pack = await buy(person, 100);
    const answers = await Promise.all(Array.from({ length: 8 }, () => revoke(person, pack, 60, "adj_same")));
    expect(answers).toEqual(Array.from({ length: 8 }, () => ({ credits: 60 })));
    expect(await buckets(person)).toEqual([5, 40, 0]);
    await spend(person, 5);
    const reference = await hold(person, 40);
    expect(await revoke(person, pack, 40, "adj_late")).toEqual({ credits: 0 });
    await release(person, reference);
    expect(await revoke(person, pack, 40, "adj_late")).toEqual({ credits: 40 });
    expect(await buckets(person)).toEqual([0, 0, 0]);
  });

  test("nothing is taken for an unknown grant or another user's, and no entry is written", async () => {
    const [person, other] = [await createPerson(harness()), await createPerson(harness())];
    const pack = await buy(other, 100);
    await buy(person, 100);
    expect(await revoke(person, pack, 100, "adj_foreign")).toEqual({ credits: 0 });
    expect(await revoke(person, { kind: "pack", transactionId: "txn_unknown" }, 100)).toEqual({ credits: 0 });
    expect(await buckets(person)).toEqual([5, 100, 0]);
    const isIt = eq(creditTransfers.cause, "revoke:adj_foreign");
    expect(await person.ctx.db.$count(creditTransfers, isIt)).toBe(0);
  });

  test("a reversed chargeback restores what it took, once, and the pack can be refunded again", async () => {
    const person = await createPerson(harness());
    const pack = await buy(person, 100);
    await spend(person, 35);
    expect(await revoke(person, pack, 100, "adj_chargeback")).toEqual({ credits: 70 });
    const back = { userId: person.userId, revocationId: "adj_chargeback", note: "" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => restoreGrant(person.ctx, back)));
    expect(answers).toEqual(Array.from({ length: 5 }, () => ({ credits: 70 })));
    expect(await buckets(person)).toEqual([0, 70, 0]);
    expect(await revoke(person, pack, 100)).toEqual({ credits: 70 });
    expect(await restoreGrant(person.ctx, { ...back, revocationId: "adj_none" })).toEqual({ credits: 0 });
  });
});

describe("R-SRV-01: credits reserved while their payment is refunded", () => {
  const back = (person: Person, adjustmentId: string) =>
    restoreGrant(person.ctx, { userId: person.userId, revocationId: adjustmentId, note: "" });

  test("R-PAY-03 are taken when they are returned, up to the refund, once", async () => {
    const person = await createPerson(harness());
    const pack = await buy(person, 100);
    await spend(person, 5);
    const [first, second, third] = [await hold(person, 20), await hold(person, 20), await hold(person, 10)];
    expect(await revoke(person, pack, 80, "adj_held")).toEqual({ credits: 50 });
    await settleReservation(person.ctx, { reference: third, outcome: "spend" });
    const twice = await Promise.all([release(person, first), release(person, first)]);
    expect(twice.map(({ kind }) => kind).toSorted()).toEqual(["already_settled", "settled"]);
    expect(await buckets(person)).toEqual([0, 0, 20]);
    // 70 of the 80 are already settled, so only 10 of these 20 are returned.
    await release(person, second);
    expect(await buckets(person)).toEqual([0, 10, 0]);
    expect(await revoke(person, pack, 80, "adj_held")).toEqual({ credits: 80 });
  });

  test("as if never reserved: spent credits count against the oldest, newer ones are left alone", async () => {
    const person = await createPerson(harness());
    await spend(person, 5);
    const first = await buy(person, 100);
    const reference = await hold(person, 60);
    await buy(person, 100);
    await spend(person, 60);
    expect(await revoke(person, first, 100)).toEqual({ credits: 0 });
    await release(person, reference);
    expect(await buckets(person)).toEqual([0, 100, 0]);
  });

  test("purchases and spending after the refund make no difference", async () => {
    const person = await createPerson(harness());
    await spend(person, 5);
    const first = await buy(person, 100);
    const reference = await hold(person, 50);
    await revoke(person, first, 100);
    await buy(person, 100);
    await spend(person, 100);
    await release(person, reference);
    expect(await buckets(person)).toEqual([0, 0, 0]);
  });

  test("two refunds of one pack take their sum", async () => {
    const person = await createPerson(harness());
    await spend(person, 5);
    const pack = await buy(person, 100);
    const reference = await hold(person, 80);
    expect(await revoke(person, pack, 50, "adj_one")).toEqual({ credits: 20 });
    expect(await revoke(person, pack, 30, "adj_two")).toEqual({ credits: 0 });
    await release(person, reference);
    expect(await buckets(person)).toEqual([0, 20, 0]);
    expect(await revoke(person, pack, 50, "adj_one")).toEqual({ credits: 50 });
    expect(await revoke(person, pack, 30, "adj_two")).toEqual({ credits: 30 });
  });

  test("a reversed chargeback restores the late part too and takes nothing more afterward", async () => {
    const person = await createPerson(harness());
    await spend(person, 5);
    const pack = await buy(person, 100);
    const [early, late] = [await hold(person, 30), await hold(person, 20)];
    await revoke(person, pack, 100, "adj_bank");
    await release(person, early);
    expect(await buckets(person)).toEqual([0, 0, 20]);
    expect(await back(person, "adj_bank")).toEqual({ credits: 80 });
    await release(person, late);
    expect(await buckets(person)).toEqual([0, 100, 0]);
    expect(await back(person, "adj_bank")).toEqual({ credits: 80 });
  });

  test("of a plan: only what was reserved in that period and before the refund, even after the period has ended", async () => {
    const person = await createPerson(harness());
    const { subscriptionId } = person;
    await spend(person, 5);
    await pay(person, { startsAt: october, credits: 150 });
    const of: GrantKey = { kind: "plan", subscriptionId, startsAt: october };
    const [early, other] = [await hold(person, 40), await hold(person, 30)];
    expect(await revoke(person, of, 150, "adj_plan")).toEqual({ credits: 80 });
    await pay(person, { startsAt: october, credits: 250, plan: "growth" });
    const after = await hold(person, 50);
    await release(person, after);
    expect(await buckets(person)).toEqual([100, 0, 70]);
    await release(person, early);
    expect(await buckets(person)).toEqual([100, 0, 30]);
    await at(harness(), november, async () => {
      await pay(person, { startsAt: november, credits: 150 });
      await release(person, other);
      // Its period has ended, so it expired and there is nothing to take.
      expect(await buckets(person)).toEqual([150, 0, 0]);
    });
    expect(await revoke(person, of, 150, "adj_plan")).toEqual({ credits: 120 });
  });
});

describe("a refunded plan payment", () => {
  const allowanceOf = ({ subscriptionId }: Person, startsAt: Date): GrantKey => ({
    kind: "plan",
    subscriptionId,
    startsAt,
  });

  test("takes the rest of that period's allowance and no purchased credit", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    await buy(person, 100);
    await spend(person, 20);
    expect(await revoke(person, allowanceOf(person, october), 150)).toEqual({ credits: 130 });
    expect(await buckets(person)).toEqual([0, 100, 0]);
  });

  test("an ended period has nothing left, and a reversal after its end restores nothing", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    const taken = await revoke(person, allowanceOf(person, october), 100, "adj_october");
    expect(taken).toEqual({ credits: 100 });
    await at(harness(), november, () => pay(person, { startsAt: november, credits: 150 }));
    expect(await revoke(person, allowanceOf(person, october), 150)).toEqual({ credits: 0 });
    const back = { userId: person.userId, revocationId: "adj_october", note: "" };
    expect(await restoreGrant(person.ctx, back)).toEqual({ credits: 0 });
    expect(await buckets(person)).toEqual([150, 0, 0]);
  });

  test("a reversal within the period restores the allowance", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    await revoke(person, allowanceOf(person, october), 150, "adj_within");
    const back = { userId: person.userId, revocationId: "adj_within", note: "" };
    expect(await restoreGrant(person.ctx, back)).toEqual({ credits: 150 });
    expect(await buckets(person)).toEqual([150, 0, 0]);
  });
});

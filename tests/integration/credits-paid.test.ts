import { describe, expect, test } from "vitest";
import { ensureAllowance } from "#lib/features/credits/allowance.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import {
  at,
  buckets,
  buy,
  createPerson,
  creditsHarness,
  december,
  hold,
  november,
  october,
  pay,
  spend,
} from "./credits-harness.ts";

const harness = creditsHarness();

describe("the allowance of a paid period", () => {
  test("the first one replaces the free month's; repeated and concurrent calls grant it once", async () => {
    const person = await createPerson(harness());
    await ensureAllowance(person.ctx, person);
    await spend(person, 2);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => pay(person, { startsAt: october, credits: 150 })),
    );
    expect(answers.filter(({ kind }) => kind === "opened")).toHaveLength(1);
    expect(await buckets(person)).toEqual([150, 0, 0]);
    expect((await findBalance(person.ctx, person.userId))?.period).toBe("paid:2026-10-20T09:30:00.000Z");
  });

  test("A-25: a renewal does not carry over the allowance and keeps purchased credits", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    await buy(person, 100);
    await spend(person, 20);
    expect(await at(harness(), november, () => pay(person, { startsAt: november, credits: 150 }))).toEqual({
      kind: "opened",
      credits: 150,
    });
    expect(await buckets(person)).toEqual([150, 100, 0]);
  });

  test("A-96: an upgrade adds the difference and spent credits stay spent; a smaller plan takes nothing", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    await spend(person, 50);
    expect(await pay(person, { startsAt: october, credits: 500, plan: "growth" })).toEqual({
      kind: "raised",
      credits: 350,
    });
    expect(await pay(person, { startsAt: october, credits: 500, plan: "growth" })).toEqual({
      kind: "unchanged",
      credits: 0,
    });
    expect(await pay(person, { startsAt: october, credits: 150 })).toEqual({ kind: "unchanged", credits: 0 });
    expect(await buckets(person)).toEqual([450, 0, 0]);
  });

  test("concurrent upgrades end at the largest plan, once", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    await Promise.all(
      [2500, 500, 2500, 150, 500].map((credits) => pay(person, { startsAt: october, credits: credits, plan: "pro" })),
    );
    expect(await buckets(person)).toEqual([2500, 0, 0]);
  });

  test("an older period that is paid late grants nothing", async () => {
    const person = await createPerson(harness());
    await at(harness(), november, () => pay(person, { startsAt: november, credits: 150 }));
    expect(await at(harness(), november, () => pay(person, { startsAt: october, credits: 2500, plan: "pro" }))).toEqual(
      {
        kind: "unchanged",
        credits: 0,
      },
    );
    expect(await buckets(person)).toEqual([150, 0, 0]);
  });

  test("a new month does not end a paid allowance or grant one", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150 });
    expect((await at(harness(), november, () => readBalance(person.ctx))).availableCredits).toBe(150);
  });

  test("a paid plan without a payment has no allowance and causes no error", async () => {
    const person = await createPerson(harness());
    await setPlan(person.ctx, { userId: person.userId, plan: "basic", planEndsAt: null });
    expect((await readBalance(person.ctx)).availableCredits).toBe(0);
  });
});

describe("the end of a paid plan", () => {
  test("R-SUB-06, A-95: on its date without an event: the rest expires on next use, and the free month's credits are granted", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    await buy(person, 100);
    const lastMoment = new Date(november.getTime() - 1_000);
    expect((await at(harness(), lastMoment, () => readBalance(person.ctx))).availableCredits).toBe(250);
    expect((await at(harness(), november, () => readBalance(person.ctx))).availableCredits).toBe(105);
    // Before the end again: an ended period is not reopened and nothing is granted twice.
    await readBalance(person.ctx);
    await at(harness(), november, () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([5, 100, 0]);
  });

  test("decision 0007: a fast process clock does not end it", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    harness().skewClock(november.getTime() - october.getTime() + 1_000);
    const ahead = await readBalance(person.ctx).finally(() =>
      harness().skewClock(october.getTime() - november.getTime() - 1_000),
    );
    expect(ahead.availableCredits).toBe(150);
  });

  test("R-SUB-06: a month that granted its free credits before the paid plan does not grant them again", async () => {
    const person = await createPerson(harness());
    await ensureAllowance(person.ctx, person);
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: new Date("2026-10-25T00:00:00Z") });
    await at(harness(), new Date("2026-10-26T00:00:00Z"), () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([0, 0, 0]);
    expect(
      (await at(harness(), new Date("2026-11-02T00:00:00Z"), () => readBalance(person.ctx))).availableCredits,
    ).toBe(5);
  });

  test("A-25: plans that start and end within one month leave nothing over, whatever is returned in between", async () => {
    const person = await createPerson(harness());
    await ensureAllowance(person.ctx, person);
    const day = (n: number) => new Date(`2026-10-${n}T00:00:00Z`);
    for (const [n, begin] of [21, 23, 25].entries()) {
      const credits = Math.max(1, 2 - n);
      const reference = await hold(person, credits);
      await at(harness(), day(begin), () =>
        pay(person, { startsAt: day(begin), credits: 150, planEndsAt: day(begin + 1) }),
      );
      expect((await buckets(person))?.[0]).toBe(150);
      await at(harness(), day(begin + 1), async () => {
        expect((await readBalance(person.ctx)).availableCredits).toBe(0);
        // Back to the month that already granted its credits; the next paid plan ends that month once more.
        await settleReservation(person.ctx, { reference, outcome: "release" });
      });
      expect(await buckets(person)).toEqual([credits, 0, 0]);
    }
  });

  test("credits reserved in the paid period expire with it when they are released after its end", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    const reference = await hold(person, 10);
    await at(harness(), november, () => settleReservation(person.ctx, { reference, outcome: "release" }));
    expect(await buckets(person)).toEqual([5, 0, 0]);
    await at(harness(), december, () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([5, 0, 0]);
  });
});

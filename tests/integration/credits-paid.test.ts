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
  creditsHouse,
  december,
  hold,
  november,
  october,
  pay,
  spend,
} from "./credits-house.ts";

const house = creditsHouse();

describe("the allowance of a paid period", () => {
  test("DESIGN §6: the first one replaces the free month's; repeated and at once it is given once", async () => {
    const person = await createPerson(house());
    await ensureAllowance(person.ctx, person);
    await spend(person, 2);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => pay(person, { startsAt: october, credits: 150 })),
    );
    expect(answers.filter(({ kind }) => kind === "opened")).toHaveLength(1);
    expect(await buckets(person)).toEqual([150, 0, 0]);
    expect((await findBalance(person.ctx, person.userId))?.period).toBe("paid:2026-10-20T09:30:00.000Z");
  });

  test("A-25: a renewal does not carry over, and keeps what was bought", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150 });
    await buy(person, 100);
    await spend(person, 20);
    expect(await at(house(), november, () => pay(person, { startsAt: november, credits: 150 }))).toEqual({
      kind: "opened",
      credits: 150,
    });
    expect(await buckets(person)).toEqual([150, 100, 0]);
  });

  test("A-96: a larger plan in the period adds the difference, less what was spent stays spent; a smaller takes nothing", async () => {
    const person = await createPerson(house());
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

  test("raises at the same moment come to the largest plan, once", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150 });
    await Promise.all(
      [2500, 500, 2500, 150, 500].map((credits) => pay(person, { startsAt: october, credits: credits, plan: "pro" })),
    );
    expect(await buckets(person)).toEqual([2500, 0, 0]);
  });

  test("an older period that is paid late gives nothing any more", async () => {
    const person = await createPerson(house());
    await at(house(), november, () => pay(person, { startsAt: november, credits: 150 }));
    expect(await at(house(), november, () => pay(person, { startsAt: october, credits: 2500, plan: "pro" }))).toEqual({
      kind: "unchanged",
      credits: 0,
    });
    expect(await buckets(person)).toEqual([150, 0, 0]);
  });

  test("the turn of a month ends no paid allowance, and gives a paid plan nothing", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150 });
    expect((await at(house(), november, () => readBalance(person.ctx))).availableCredits).toBe(150);
  });

  test("a paid plan without a payment has no allowance, and no error", async () => {
    const person = await createPerson(house());
    await setPlan(person.ctx, { userId: person.userId, plan: "basic", planEndsAt: null });
    expect((await readBalance(person.ctx)).availableCredits).toBe(0);
  });
});

describe("a paid plan that ends", () => {
  test("R-SUB-06, A-95: at its date, without any event: the rest goes at first need, the free month's credits come", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    await buy(person, 100);
    const lastMoment = new Date(november.getTime() - 1_000);
    expect((await at(house(), lastMoment, () => readBalance(person.ctx))).availableCredits).toBe(250);
    expect((await at(house(), november, () => readBalance(person.ctx))).availableCredits).toBe(105);
    // Back before the end: an ended period is not reopened, and nothing is given twice.
    await readBalance(person.ctx);
    await at(house(), november, () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([5, 100, 0]);
  });

  test("decision 0007: not by the clock of a process that is ahead", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    house().skewClock(november.getTime() - october.getTime() + 1_000);
    const ahead = await readBalance(person.ctx).finally(() =>
      house().skewClock(october.getTime() - november.getTime() - 1_000),
    );
    expect(ahead.availableCredits).toBe(150);
  });

  test("R-SUB-06: a month that gave its free credits before the paid plan does not give them again", async () => {
    const person = await createPerson(house());
    await ensureAllowance(person.ctx, person);
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: new Date("2026-10-25T00:00:00Z") });
    await at(house(), new Date("2026-10-26T00:00:00Z"), () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([0, 0, 0]);
    expect((await at(house(), new Date("2026-11-02T00:00:00Z"), () => readBalance(person.ctx))).availableCredits).toBe(
      5,
    );
  });

  test("A-25: plans that begin and end within one month leave nothing over, whatever returns in between", async () => {
    const person = await createPerson(house());
    await ensureAllowance(person.ctx, person);
    const day = (n: number) => new Date(`2026-10-${n}T00:00:00Z`);
    for (const [n, begin] of [21, 23, 25].entries()) {
      const credits = Math.max(1, 2 - n);
      const reference = await hold(person, credits);
      await at(house(), day(begin), () =>
        pay(person, { startsAt: day(begin), credits: 150, planEndsAt: day(begin + 1) }),
      );
      expect((await buckets(person))?.[0]).toBe(150);
      await at(house(), day(begin + 1), async () => {
        expect((await readBalance(person.ctx)).availableCredits).toBe(0);
        // Into the month that gave its credits before; the next paid plan ends that month once more.
        await settleReservation(person.ctx, { reference, outcome: "release" });
      });
      expect(await buckets(person)).toEqual([credits, 0, 0]);
    }
  });

  test("D11: what was held in the paid period and fails after its end returns into the free month's credits", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150, plan: "basic", planEndsAt: november });
    const reference = await hold(person, 10);
    await at(house(), november, () => settleReservation(person.ctx, { reference, outcome: "release" }));
    expect(await buckets(person)).toEqual([15, 0, 0]);
    await at(house(), december, () => readBalance(person.ctx));
    expect(await buckets(person)).toEqual([5, 0, 0]);
  });
});

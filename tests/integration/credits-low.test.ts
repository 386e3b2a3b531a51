import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { inTransaction } from "#lib/context.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import {
  at,
  buy,
  createPerson,
  creditsHouse,
  hold,
  newName,
  november,
  october,
  type Person,
  pay,
  revoke,
} from "./credits-house.ts";

const house = creditsHouse();

/** The mails about few credits that a person was posted so far: how many credits each tells of. */
const told = async ({ ctx, userId, email }: Person) => {
  const rows = await ctx.db.select().from(letters).where(eq(letters.userId, userId));
  const low = rows.filter(({ content }) => (content as { kind: string }).kind === "credits_low");
  expect(low.every(({ recipient }) => recipient === email)).toBe(true);
  return low.map(({ content }) => (content as { availableCredits: number }).availableCredits);
};

const createBuyer = async (credits: number) => {
  const person = await createPerson(house());
  // Five of the free month come on top.
  const pack = await buy(person, credits - 5);
  return { person, pack };
};

describe("the mail about few credits", () => {
  test("R-CRED-02: at the reservation that leaves 9, not at the one that leaves 10, and not at the next", async () => {
    const { person } = await createBuyer(20);
    await hold(person, 10);
    expect(await told(person)).toEqual([]);
    await hold(person, 1);
    expect(await told(person)).toEqual([9]);
    await hold(person, 1);
    await hold(person, 3);
    expect(await told(person)).toEqual([9]);
  });

  test("parallel crossings post one", async () => {
    const { person } = await createBuyer(20);
    await Promise.all(Array.from({ length: 20 }, () => hold(person, 1)));
    expect(await told(person)).toEqual([9]);
  });

  test("several pins of one start post one, and it is there to be announced", async () => {
    const { person } = await createBuyer(12);
    const lots = Array.from({ length: 5 }, () => ({ reference: newName("tsk"), costCredits: 2 }));
    const { letterIds } = await reserveCredits(person.ctx, { userId: person.userId, lots });
    expect(letterIds).toHaveLength(1);
    expect(await told(person)).toEqual([2]);
  });

  test("a revocation that crosses the threshold posts it too", async () => {
    const { person, pack } = await createBuyer(105);
    await revoke(person, pack, 100);
    expect(await told(person)).toEqual([5]);
  });

  test("credits that merely return arm nothing; bought ones do, from 10 on", async () => {
    const { person } = await createBuyer(12);
    const reference = await hold(person, 5);
    await settleReservation(person.ctx, { reference, outcome: "release" });
    await hold(person, 5);
    expect(await told(person)).toEqual([7]);
    await buy(person, 2);
    await hold(person, 1);
    await buy(person, 2);
    await hold(person, 1);
    expect((await told(person)).toSorted()).toEqual([7, 9]);
  });

  test("an operator's grant and a new paid period arm it as well", async () => {
    const { person } = await createBuyer(10);
    await hold(person, 1);
    await grantCredits(person.ctx, { userId: person.userId, credits: 1, note: "", cause: newName("gift") });
    await hold(person, 2);
    await pay(person, { startsAt: october, credits: 150 });
    await hold(person, 150);
    expect((await told(person)).toSorted()).toEqual([6, 8, 9]);
  });

  test("a paid plan that ends is no crossing, and five free credits never are", async () => {
    const person = await createPerson(house());
    await pay(person, { startsAt: october, credits: 150, planEndsAt: november });
    await at(house(), november, async () => {
      await readBalance(person.ctx);
      await hold(person, 2);
    });
    expect(await told(person)).toEqual([]);
  });

  test("what is rolled back tells nobody and stays armed", async () => {
    const { person } = await createBuyer(10);
    const failing = inTransaction(person.ctx, async (tx) => {
      await hold({ ...person, ctx: { ...person.ctx, ...tx } }, 1);
      throw new Error("the start fails after all");
    });
    await expect(failing).rejects.toThrow("after all");
    expect(await told(person)).toEqual([]);
    expect((await findBalance(person.ctx, person.userId))?.lowToldAt).toBeNull();
    await hold(person, 1);
    expect(await told(person)).toEqual([9]);
  });
});

describe("its words", () => {
  const render = (availableCredits: number) =>
    renderLetter(house(), { kind: "credits_low", firstName: "Ada <b>", availableCredits });

  test("how many are left, where to buy more, and why it was sent", () => {
    const { subject, text, html } = render(9);
    expect(subject).toBe("Your Evertack credits are running low");
    expect(text).toContain("you have 9 credits left");
    expect(text).toContain("Buy more credits:\nhttp://localhost:3000/app/buy-credits");
    expect(text).toContain("because your balance fell below 10 credits");
    expect(html).toContain('href="http://localhost:3000/app/buy-credits"');
    expect(html).not.toContain("<b>");
  });

  test("one and none", () => {
    expect(render(1).text).toContain("you have 1 credit left");
    expect(render(0).text).toContain("you have no credits left");
  });
});

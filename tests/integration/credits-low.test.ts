import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { inTransaction } from "#lib/context.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import {
  at,
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
} from "./credits-harness.ts";

const harness = creditsHarness();

/** The low-credits emails queued for a user, as the number of credits in each. */
const creditCounts = async ({ ctx, userId, email }: Person) => {
  const rows = await ctx.db.select().from(emailOutbox).where(eq(emailOutbox.userId, userId));
  const low = rows.filter(({ content }) => (content as { kind: string }).kind === "credits_low");
  expect(low.every(({ recipient }) => recipient === email)).toBe(true);
  return low.map(({ content }) => (content as { availableCredits: number }).availableCredits);
};

const createBuyer = async (credits: number) => {
  const person = await createPerson(harness());
  // Plus five from the free month.
  const pack = await buy(person, credits - 5);
  return { person, pack };
};

describe("the low-credits email", () => {
  test("R-CRED-02: is queued by the reservation that leaves 9, not the one that leaves 10, and not the next", async () => {
    const { person } = await createBuyer(20);
    await hold(person, 10);
    expect(await creditCounts(person)).toEqual([]);
    await hold(person, 1);
    expect(await creditCounts(person)).toEqual([9]);
    await hold(person, 1);
    await hold(person, 3);
    expect(await creditCounts(person)).toEqual([9]);
  });

  test("concurrent crossings queue one", async () => {
    const { person } = await createBuyer(20);
    await Promise.all(Array.from({ length: 20 }, () => hold(person, 1)));
    expect(await creditCounts(person)).toEqual([9]);
  });

  test("several pins of one start queue one", async () => {
    const { person } = await createBuyer(12);
    const lots = Array.from({ length: 5 }, () => ({ reference: newName("tsk"), costCredits: 2 }));
    const { emailIds } = await reserveCredits(person.ctx, { userId: person.userId, lots });
    expect(emailIds).toHaveLength(1);
    expect(await creditCounts(person)).toEqual([2]);
  });

  test("a revocation that crosses the threshold queues it too", async () => {
    const { person, pack } = await createBuyer(105);
    await revoke(person, pack, 100);
    expect(await creditCounts(person)).toEqual([5]);
  });

  test("returned credits do not reset it; bought ones do, from 10 on", async () => {
    const { person } = await createBuyer(12);
    const reference = await hold(person, 5);
    await settleReservation(person.ctx, { reference, outcome: "release" });
    await hold(person, 5);
    expect(await creditCounts(person)).toEqual([7]);
    await buy(person, 2);
    await hold(person, 1);
    await buy(person, 2);
    await hold(person, 1);
    expect((await creditCounts(person)).toSorted()).toEqual([7, 9]);
  });

  test("an operator's grant and a new paid period reset it too", async () => {
    const { person } = await createBuyer(10);
    await hold(person, 1);
    await grantCredits(person.ctx, { userId: person.userId, credits: 1, note: "", cause: newName("gift") });
    await hold(person, 2);
    await pay(person, { startsAt: october, credits: 150 });
    await hold(person, 150);
    expect((await creditCounts(person)).toSorted()).toEqual([6, 8, 9]);
  });

  test("the end of a paid plan does not trigger it, and five free credits never do", async () => {
    const person = await createPerson(harness());
    await pay(person, { startsAt: october, credits: 150, planEndsAt: november });
    await at(harness(), november, async () => {
      await readBalance(person.ctx);
      await hold(person, 2);
    });
    expect(await creditCounts(person)).toEqual([]);
  });

  test("a rollback queues nothing and does not use it up", async () => {
    const { person } = await createBuyer(10);
    const failing = inTransaction(person.ctx, async (tx) => {
      await hold({ ...person, ctx: { ...person.ctx, ...tx } }, 1);
      throw new Error("the start fails after all");
    });
    await expect(failing).rejects.toThrow("after all");
    expect(await creditCounts(person)).toEqual([]);
    expect((await findBalance(person.ctx, person.userId))?.lowNotifiedAt).toBeNull();
    await hold(person, 1);
    expect(await creditCounts(person)).toEqual([9]);
  });
});

describe("its text", () => {
  const render = (availableCredits: number) =>
    renderEmail(harness(), { kind: "credits_low", firstName: "Ada <b>", availableCredits });

  test("says how many are left, where to buy more, and why it was sent", () => {
    const { subject, text, html } = render(9);
    expect(subject).toBe("Your Evertack credits are running low");
    expect(text).toContain("You have 9 credits left");
    expect(text).toContain("Buy more credits:\nhttp://localhost:3000/app/buy-credits");
    expect(text).toContain("because your balance dropped below 10 credits");
    expect(html).toContain('href="http://localhost:3000/app/buy-credits"');
    expect(html).not.toContain("<b>");
  });

  test("singular and zero", () => {
    expect(render(1).text).toContain("You have 1 credit left");
    expect(render(0).text).toContain("You have no credits left");
  });
});

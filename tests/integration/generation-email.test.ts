import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { nextMonthStart } from "#lib/core/time.ts";
import { grantPurchase } from "#lib/features/credits/grants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { confirmEmail } from "./credits-harness.ts";
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const start = ({ ctx, accountId }: Creator, pins: number) =>
  startGeneration(ctx, {
    accountId,
    boardId: "12345",
    quality: "standard",
    rows: Array.from({ length: pins }, (_, nth) => ({ keyword: `pin ${nth}`, url: null })),
  });

const nextMonth = <R>(work: () => Promise<R>): Promise<R> => {
  const now = setup.harness.now();
  return setup.harness.later(nextMonthStart(now).getTime() + 60_000 - now.getTime(), work);
};

const groupsOf = ({ userId }: Creator) => setup.job().db.$count(generationGroups, eq(generationGroups.userId, userId));

describe("generating without a confirmed email", () => {
  test("the first month's free credits work; then it is refused until the email is confirmed", async () => {
    await setup.midMonth();
    const creator = await setup.insertCreator();
    expect(await start(creator, 5)).toMatchObject({ kind: "started", totalTasks: 5, warning: null });
    await nextMonth(async () => {
      await expect(start(creator, 1)).rejects.toMatchObject({ code: "email_unconfirmed", status: 403 });
      expect(await groupsOf(creator)).toBe(1);
      await confirmEmail(creator);
      expect(await start(creator, 5)).toMatchObject({ kind: "started", totalTasks: 5 });
    });
  });

  test("what is left of the first five is used first, even by concurrent calls, and the warning says what to do", async () => {
    await setup.midMonth();
    const creator = await setup.insertCreator();
    await start(creator, 3);
    await nextMonth(async () => {
      const both = await Promise.allSettled([start(creator, 2), start(creator, 2)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });
    const other = await setup.insertCreator();
    await start(other, 3);
    const partly = await nextMonth(() => start(other, 4));
    expect(partly).toMatchObject({ kind: "started", totalTasks: 2, warning: expect.stringContaining("Confirm your") });
  });

  test("bought credits don't wait for it", async () => {
    await setup.midMonth();
    const creator = await setup.insertCreator();
    await start(creator, 5);
    const { ctx, userId } = creator;
    await grantPurchase(ctx, { userId, transactionId: `txn_${userId}`, credits: 3, note: "" });
    const started = await nextMonth(() => start(creator, 5));
    expect(started).toMatchObject({ kind: "started", totalTasks: 3 });
    expect((await setup.buckets(creator)).slice(0, 2)).toEqual([5, 0]);
  });
});

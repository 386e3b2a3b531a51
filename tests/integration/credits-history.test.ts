import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { generationGroups } from "#db/schema/generation.ts";
import { openPaidPeriod } from "#lib/features/credits/allowance.ts";
import { grantCredits, grantPurchase, restoreGrant, revokeGrant } from "#lib/features/credits/grants.ts";
import { type HistoryInput, historyWire } from "#lib/features/credits/schema.ts";
import { readBalance, toHistoryWire } from "#lib/features/credits/statement.ts";
import { cancelGeneration, listCreditEntries } from "#lib/features/generation/groups.ts";
import { findReservedFor } from "#lib/features/generation/queries.ts";
import { failTask } from "#lib/features/generation/tasks.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { generationWorld, type Maker } from "./generation-house.ts";

const world = generationWorld();

const read = async ({ ctx }: Maker, input: HistoryInput = {}) => {
  const page = await listCreditEntries(ctx, input);
  return { entries: historyWire.parse(toHistoryWire(page)).entries, nextCursor: page.nextCursor };
};

/** What a person reads: text, why, credits, balance. */
const lines = async (maker: Maker) =>
  (await read(maker)).entries.map(({ text, detail, credits, balance_after }) => [text, detail, credits, balance_after]);

const begin = async (maker: Maker, keywords: string[], quality: "high" | "standard" = "standard") => {
  const { groupId } = await world.start(maker, keywords, { quality });
  return { groupId, ids: (await world.tasksOf(groupId)).map(({ id }) => id) };
};

describe("the history of credits", () => {
  test("a pin is one line: reserved while it is made, spent once it is", async () => {
    const maker = await world.makeMaker();
    const { ids } = await begin(maker, ["linen bedroom"], "high");
    expect(await lines(maker)).toEqual([
      ['Reserved for "linen bedroom"', null, -2, 3],
      ["Monthly credits of the Free plan", null, 5, 5],
    ]);
    await world.drive(ids[0] ?? "");
    expect(await lines(maker)).toEqual([
      ['Spent on "linen bedroom"', null, -2, 3],
      ["Monthly credits of the Free plan", null, 5, 5],
    ]);
    const kinds = (await read(maker)).entries.map(({ kind }) => kind);
    expect(kinds).toEqual(["spent", "allowance"]);
  });

  test("R-SRV-01: what comes back is a line of its own, with the reason", async () => {
    const maker = await world.makeMaker();
    const { ids, groupId } = await begin(maker, ["a refused one", "not begun"]);
    await failTask(world.job(), { taskId: ids[0] ?? "", reason: "The image model refused this subject." });
    await cancelGeneration(maker.ctx, { groupId });
    expect(await lines(maker)).toEqual([
      ['Returned because you cancelled "not begun"', null, 1, 5],
      ['Returned because "a refused one" could not be made', "The image model refused this subject.", 1, 4],
      ['Reserved for "not begun"', null, -1, 3],
      ['Reserved for "a refused one"', null, -1, 4],
      ["Monthly credits of the Free plan", null, 5, 5],
    ]);
  });

  test("what billing and the team do is told in their words, or in the usual ones", async () => {
    const maker = await world.makeMaker();
    const { ctx, userId } = maker;
    await grantPurchase(ctx, { userId, transactionId: "txn_told", credits: 1500, note: "" });
    await grantCredits(ctx, { userId, credits: 1, note: "Sorry for Tuesday", cause: "told" });
    const of = { kind: "pack", transactionId: "txn_told" } as const;
    await revokeGrant(ctx, { userId, adjustmentId: "adj_1", of, credits: 1500, note: "Refunded: 1,500 credits" });
    await revokeGrant(ctx, { userId, adjustmentId: "adj_2", of, credits: 1500, note: "" });
    await restoreGrant(ctx, { userId, revocationId: "adj_1", note: "" });
    await setPlan(ctx, { userId, plan: "basic", planEndsAt: null });
    const period = { subscriptionId: "sub_told", startsAt: new Date("2026-11-20T10:00:00Z"), credits: 400 };
    await openPaidPeriod(ctx, { userId, ...period, note: "Monthly credits of the Basic plan", mayReturn: true });
    const month = (await read(maker)).entries.at(1)?.text;
    expect(month).toMatch(
      /^Unused credits of (January|February|March|April|May|June|July|August|September|October|November|December) expired$/,
    );
    expect(await lines(maker)).toEqual([
      ["Monthly credits of the Basic plan", null, 400, 1901],
      [month, null, -5, 1501],
      ["Given back", null, 1500, 1506],
      ["Taken back after a refund", "Nothing of them was left.", 0, 6],
      ["Refunded: 1,500 credits", null, -1500, 6],
      ["Credits from our team", "Sorry for Tuesday", 1, 1506],
      ["Bought: 1,500 credits", null, 1500, 1505],
      ["Monthly credits of the Free plan", null, 5, 5],
    ]);
  });

  test("a keyword is told as long as its task is kept, and is written nowhere in the ledger", async () => {
    const maker = await world.makeMaker();
    const { ids } = await begin(maker, ["my secret garden", "another"]);
    await world.drive(ids[0] ?? "");
    await failTask(world.job(), { taskId: ids[1] ?? "" });
    await world.job().db.delete(generationGroups).where(eq(generationGroups.userId, maker.userId));
    expect((await lines(maker)).map(([text]) => text)).toEqual([
      "Returned for a pin that was not made",
      "Reserved for a pin",
      "Spent on a pin",
      "Monthly credits of the Free plan",
    ]);
    const ledger = await maker.ctx.db.query.creditTransfers.findMany();
    expect(JSON.stringify(ledger)).not.toContain("secret garden");
  });
});

test("R-SRV-01: more reservations than a statement takes parameters", async () => {
  const maker = await world.makeMaker();
  const { ids } = await begin(maker, ["the last of many"]);
  const taskIds = [...Array.from({ length: 70_000 }, (_, n) => `tsk_${n}`), ...ids];
  const found = await findReservedFor(maker.ctx, { userId: maker.userId, taskIds });
  expect([...found.values()]).toEqual([
    { keyword: "the last of many", newPictureFor: null, reason: null, isCancelled: false },
  ]);
});

describe("its pages", () => {
  test("DESIGN §7: hold every entry once with the right balance, also when more happens meanwhile", async () => {
    const maker = await world.makeMaker(20);
    const { ids } = await begin(maker, ["a", "b", "c", "d", "e", "f", "g"]);
    await world.drive(ids[0] ?? "");
    const whole = await read(maker);
    expect([whole.entries.length, whole.nextCursor]).toEqual([9, null]);
    const first = await read(maker, { limit: 4 });
    await grantCredits(maker.ctx, { userId: maker.userId, credits: 3, note: "", cause: `late:${maker.userId}` });
    const second = await read(maker, { limit: 4, cursor: first.nextCursor ?? "" });
    const third = await read(maker, { limit: 4, cursor: second.nextCursor ?? "" });
    expect([...first.entries, ...second.entries, ...third.entries]).toEqual(whole.entries);
    expect([first.nextCursor, second.nextCursor, third.nextCursor].map((one) => one !== null)).toEqual([
      true,
      true,
      false,
    ]);
    const { availableCredits } = await readBalance(maker.ctx);
    expect((await read(maker, { limit: 1 })).entries[0]?.balance_after).toBe(availableCredits);
  });

  test("each balance is the one before it and the entry's credits", async () => {
    const maker = await world.makeMaker(9);
    await begin(maker, ["a", "b", "c"], "high");
    const { entries } = await read(maker);
    for (const [at, { credits, balance_after }] of entries.entries()) {
      expect(balance_after - credits).toBe(entries[at + 1]?.balance_after ?? 0);
    }
  });

  test("R-ROLE-04: a cursor of somebody else's, or none of ours, is refused, and nobody sees another's entries", async () => {
    const [maker, other] = [await world.makeMaker(3), await world.makeMaker(3)];
    const theirs = (await read(other)).entries.map(({ id }) => id);
    expect((await read(maker)).entries.some(({ id }) => theirs.includes(id))).toBe(false);
    for (const cursor of [theirs[0] ?? "", "trf_00000000000000000000000000", "' or 1=1 --"]) {
      const reading = read(maker, { limit: 2, cursor }).catch((error: unknown) => error);
      expect(await reading).toMatchObject({ code: "invalid" });
    }
  });
});

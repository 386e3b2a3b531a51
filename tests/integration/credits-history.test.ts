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
import { type Creator, generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const read = async ({ ctx }: Creator, input: HistoryInput = {}) => {
  const page = await listCreditEntries(ctx, input);
  return { entries: historyWire.parse(toHistoryWire(page)).entries, nextCursor: page.nextCursor };
};

/** What the user reads: text, reason, credits, balance. */
const lines = async (creator: Creator) =>
  (await read(creator)).entries.map(({ text, detail, credits, balance_after }) => [
    text,
    detail,
    credits,
    balance_after,
  ]);

const begin = async (creator: Creator, keywords: string[], quality: "high" | "standard" = "standard") => {
  const { groupId } = await setup.start(creator, keywords, { quality });
  return { groupId, ids: (await setup.tasksOf(groupId)).map(({ id }) => id) };
};

describe("credit activity", () => {
  test("a pin is one entry: reserved while in progress, spent when done", async () => {
    const creator = await setup.insertCreator();
    const { ids } = await begin(creator, ["linen bedroom"], "high");
    expect(await lines(creator)).toEqual([
      ['Reserved for "linen bedroom"', null, -2, 3],
      ["Monthly credits: Free plan", null, 5, 5],
    ]);
    await setup.drive(ids[0] ?? "");
    expect(await lines(creator)).toEqual([
      ['Spent on "linen bedroom"', null, -2, 3],
      ["Monthly credits: Free plan", null, 5, 5],
    ]);
    const kinds = (await read(creator)).entries.map(({ kind }) => kind);
    expect(kinds).toEqual(["spent", "allowance"]);
  });

  test("R-SRV-01: returned credits are an entry of their own, with the reason", async () => {
    const creator = await setup.insertCreator();
    const { ids, groupId } = await begin(creator, ["a refused one", "not begun"]);
    await failTask(setup.job(), {
      taskId: ids[0] ?? "",
      reason: "Our AI can't make a pin about this. Try another keyword.",
    });
    await cancelGeneration(creator.ctx, { groupId });
    expect(await lines(creator)).toEqual([
      ['Returned because you canceled "not begun"', null, 1, 5],
      [
        'Returned because "a refused one" couldn\'t be generated',
        "Our AI can't make a pin about this. Try another keyword.",
        1,
        4,
      ],
      ['Reserved for "not begun"', null, -1, 3],
      ['Reserved for "a refused one"', null, -1, 4],
      ["Monthly credits: Free plan", null, 5, 5],
    ]);
  });

  test("billing and team entries show their own text or the default", async () => {
    const creator = await setup.insertCreator();
    const { ctx, userId } = creator;
    await grantPurchase(ctx, { userId, transactionId: "txn_told", credits: 1500, note: "" });
    await grantCredits(ctx, { userId, credits: 1, note: "Sorry for Tuesday", cause: "told" });
    const of = { kind: "pack", transactionId: "txn_told" } as const;
    await revokeGrant(ctx, { userId, adjustmentId: "adj_1", of, credits: 1500, note: "Refunded: 1,500 credits" });
    await revokeGrant(ctx, { userId, adjustmentId: "adj_2", of, credits: 1500, note: "" });
    await restoreGrant(ctx, { userId, revocationId: "adj_1", note: "" });
    await setPlan(ctx, { userId, plan: "basic", planEndsAt: null });
    const period = { subscriptionId: "sub_told", startsAt: new Date("2026-11-20T10:00:00Z"), credits: 400 };
    await openPaidPeriod(ctx, { userId, ...period, note: "Monthly credits: Basic plan", canRestore: true });
    const month = (await read(creator)).entries.at(1)?.text;
    expect(month).toMatch(
      /^Unused credits from (January|February|March|April|May|June|July|August|September|October|November|December) expired$/,
    );
    expect(await lines(creator)).toEqual([
      ["Monthly credits: Basic plan", null, 400, 1901],
      [month, null, -5, 1501],
      ["Restored", null, 1500, 1506],
      ["Removed after a refund", "No unused credits were left to remove.", 0, 6],
      ["Refunded: 1,500 credits", null, -1500, 6],
      ["Credits from our team", "Sorry for Tuesday", 1, 1506],
      ["Bought 1,500 credits", null, 1500, 1505],
      ["Monthly credits: Free plan", null, 5, 5],
    ]);
  });

  test("a keyword is shown while its task exists and is never written to the ledger", async () => {
    const creator = await setup.insertCreator();
    const { ids } = await begin(creator, ["my secret garden", "another"]);
    await setup.drive(ids[0] ?? "");
    await failTask(setup.job(), { taskId: ids[1] ?? "" });
    await setup.job().db.delete(generationGroups).where(eq(generationGroups.userId, creator.userId));
    expect((await lines(creator)).map(([text]) => text)).toEqual([
      "Returned for a pin that wasn't generated",
      "Reserved for a pin",
      "Spent on a pin",
      "Monthly credits: Free plan",
    ]);
    const ledger = await creator.ctx.db.query.creditTransfers.findMany();
    expect(JSON.stringify(ledger)).not.toContain("secret garden");
  });
});

test("R-SRV-01: handles more reservations than a query has parameters", async () => {
  const creator = await setup.insertCreator();
  const { ids } = await begin(creator, ["the last of many"]);
  const taskIds = [...Array.from({ length: 70_000 }, (_, n) => `tsk_${n}`), ...ids];
  const found = await findReservedFor(creator.ctx, { userId: creator.userId, taskIds });
  expect([...found.values()]).toEqual([
    { keyword: "the last of many", newImageFor: null, reason: null, isCanceled: false },
  ]);
});

describe("pages", () => {
  test("contain every entry once with the right balance, even when more is added meanwhile", async () => {
    const creator = await setup.insertCreator(20);
    const { ids } = await begin(creator, ["a", "b", "c", "d", "e", "f", "g"]);
    await setup.drive(ids[0] ?? "");
    const whole = await read(creator);
    expect([whole.entries.length, whole.nextCursor]).toEqual([9, null]);
    const first = await read(creator, { limit: 4 });
    await grantCredits(creator.ctx, { userId: creator.userId, credits: 3, note: "", cause: `late:${creator.userId}` });
    const second = await read(creator, { limit: 4, cursor: first.nextCursor ?? "" });
    const third = await read(creator, { limit: 4, cursor: second.nextCursor ?? "" });
    expect([...first.entries, ...second.entries, ...third.entries]).toEqual(whole.entries);
    expect([first.nextCursor, second.nextCursor, third.nextCursor].map((one) => one !== null)).toEqual([
      true,
      true,
      false,
    ]);
    const { availableCredits } = await readBalance(creator.ctx);
    expect((await read(creator, { limit: 1 })).entries[0]?.balance_after).toBe(availableCredits);
  });

  test("each balance is the previous one plus the entry's credits", async () => {
    const creator = await setup.insertCreator(9);
    await begin(creator, ["a", "b", "c"], "high");
    const { entries } = await read(creator);
    for (const [at, { credits, balance_after }] of entries.entries()) {
      expect(balance_after - credits).toBe(entries[at + 1]?.balance_after ?? 0);
    }
  });

  test("R-ROLE-04: another user's or an invalid cursor is refused, and no one sees another user's entries", async () => {
    const [creator, other] = [await setup.insertCreator(3), await setup.insertCreator(3)];
    const theirs = (await read(other)).entries.map(({ id }) => id);
    expect((await read(creator)).entries.some(({ id }) => theirs.includes(id))).toBe(false);
    for (const cursor of [theirs[0] ?? "", "trf_00000000000000000000000000", "' or 1=1 --"]) {
      const reading = read(creator, { limit: 2, cursor }).catch((error: unknown) => error);
      expect(await reading).toMatchObject({ code: "invalid" });
    }
  });
});

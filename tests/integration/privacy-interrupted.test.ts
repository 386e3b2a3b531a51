import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { logins } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { storeConnection } from "#lib/features/accounts/oauth-connection.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { eraseUser, sweepErasures } from "#lib/features/privacy/erasure.ts";
import { PATIENCE_MS, SETTLE_MS } from "#lib/features/privacy/schema.ts";
import { publishDuePin } from "#lib/features/publishing/publisher.ts";
import { erase, generate, heldAtPinterest, leave, storePicture } from "./privacy-house.ts";
import { CREATE, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

afterEach(async () => {
  expect((await checkLedger(world.job())).faults).toEqual([]);
});

describe("R-SRV-03 pins of a user who leaves", () => {
  test("a due pin is not called any more", async () => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    await leave(maker);
    await world.pinterest.forgetCalls();
    expect(await publishDuePin(world.job(), { ...scheduled, accountId: maker.account.id })).toEqual({
      kind: "done",
      result: "draft",
    });
    await erase(world, maker);
    expect(await publishDuePin(world.job(), { ...scheduled, accountId: maker.account.id })).toEqual({
      kind: "done",
      result: "superseded",
    });
    expect(await world.pinterest.calls(CREATE)).toBe(0);
  });

  test.each([
    ["answered before the rows go", 0],
    ["answered when the rows are gone", SETTLE_MS],
  ])("one that is being called just then is sent once, and never again: %s", async (_, hangsMs) => {
    const maker = await world.makeMaker();
    const scheduled = await world.scheduled(maker);
    const run = { ...scheduled, accountId: maker.account.id };
    await world.pinterest.forgetCalls();
    const worker = heldAtPinterest(world.job());
    const publishing = publishDuePin(worker.ctx, run);
    await worker.called;
    await leave(maker);
    expect(await eraseUser(world.job(), maker)).toMatchObject({ kind: "wait" });
    await world.moveClock(hangsMs);
    if (hangsMs > 0) expect(await eraseUser(world.job(), maker)).toEqual({ kind: "done" });
    worker.allow();
    const ended = await publishing;
    expect(ended).toMatchObject({ kind: "done", result: hangsMs > 0 ? "superseded" : "published" });
    expect(await world.publicPins(maker)).toHaveLength(1);
    if (hangsMs === 0) await erase(world, maker);
    // Whoever comes later, another worker or the sweep, finds nothing to send.
    expect(await publishDuePin(world.job("other"), run)).toMatchObject({ result: "superseded" });
    expect(await world.pinterest.calls(CREATE)).toBe(1);
    expect(await world.job().db.$count(pins, eq(pins.userId, maker.userId))).toBe(0);
  });

  test("R-SRV-01 pins being made are given up, and what was held for them returns", async () => {
    const maker = await world.makeMaker();
    await generate(maker, ["one", "two", "three"]);
    await leave(maker);
    await eraseUser(world.job(), maker);
    const tasks = await world.job().db.select().from(generationTasks).where(eq(generationTasks.userId, maker.userId));
    expect(tasks.map(({ status }) => status)).toEqual(["FAILURE", "FAILURE", "FAILURE"]);
    expect(await findBalance(world.job(), maker.userId)).toMatchObject({ allowance: 5, held: 0 });
  });
});

describe("what comes in between", () => {
  test("DESIGN §5.6 a process that dies after the commit is followed by the sweep", async () => {
    const maker = await world.makeMaker();
    world.house.failNextSend();
    await leave(maker);
    const mine = () => world.house.sentEvents.filter(({ id }) => id.startsWith(`erase:${maker.userId}`));
    await sweepErasures(world.job());
    const early = mine().length;
    await world.moveClock(PATIENCE_MS + 1_000);
    await sweepErasures(world.job());
    expect(mine().slice(early)).toEqual([
      { name: "privacy/erasure.requested", id: `erase:${maker.userId}:1`, data: { userId: maker.userId } },
    ]);
    await erase(world, maker);
    await world.moveClock(PATIENCE_MS + SETTLE_MS);
    await sweepErasures(world.job());
    expect(mine()).toHaveLength(early + 1);
  });

  test("one who dies while erasing is followed by one who goes on, down to the last picture", async () => {
    const maker = await world.makeMaker();
    const keys = [await storePicture(world), await storePicture(world)];
    for (const imageKey of keys) await world.draft(maker, { imageKey });
    await leave(maker);
    await eraseUser(world.job(), maker);
    await world.moveClock(SETTLE_MS);
    const job = world.job();
    let deletions = 0;
    const dying = {
      ...job,
      storage: {
        ...job.storage,
        delete: async (key: string) => {
          deletions += 1;
          if (deletions > 1) throw new Error("The storage does not answer.");
          await job.storage.delete(key);
        },
      },
    };
    await expect(eraseUser(dying, maker)).rejects.toThrow("The storage does not answer.");
    expect(await world.job().db.$count(logins, eq(logins.userId, maker.userId))).toBe(0);
    expect(await eraseUser(job, maker)).toEqual({ kind: "done" });
    for (const key of keys) expect(await job.storage.get(key)).toBeNull();
  });

  test("a consent that comes back late brings no tokens back", async () => {
    const maker = await world.makeMaker();
    const { userId, account } = maker;
    await leave(maker);
    const tokens = {
      accessToken: "pina_late",
      refreshToken: "pinr_late",
      accessExpiresAt: new Date(),
      refreshExpiresAt: new Date(),
      scopes: [],
    };
    const profile = { pinterestUserId: account.pinterestUserId, username: account.username };
    const stored = await storeConnection(world.job(), { userId, accountId: null, tokens, profile } as never);
    expect(stored).toEqual({ kind: "failed", reason: "state" });
    const [row] = await world.job().db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(row).toMatchObject({ status: "removed", accessTokenSealed: null });
  });
});

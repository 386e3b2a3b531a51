import { eq, isNull, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { generationTasks } from "#db/schema/generation.ts";
import { logins } from "#db/schema/identity.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { storeConnection } from "#lib/features/accounts/oauth-connection.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { markImagesForDeletion } from "#lib/features/pins/images.ts";
import { erasePins } from "#lib/features/pins/retention.ts";
import { eraseUser, sweepErasures } from "#lib/features/privacy/erasure.ts";
import { SETTLE_MS, SWEEP_AFTER_MS } from "#lib/features/privacy/schema.ts";
import { publishDuePin } from "#lib/features/publishing/publisher.ts";
import { erase, generate, heldAtPinterest, leave, storeImage } from "./privacy-harness.ts";
import { CREATE, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

afterEach(async () => {
  expect((await checkLedger(setup.job())).faults).toEqual([]);
});

describe("R-SRV-03 pins of a deleted user", () => {
  test("a due pin is not published anymore", async () => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    await leave(creator);
    await setup.pinterest.resetCalls();
    expect(await publishDuePin(setup.job(), { ...scheduled, accountId: creator.account.id })).toEqual({
      kind: "done",
      result: "draft",
    });
    await erase(setup, creator);
    expect(await publishDuePin(setup.job(), { ...scheduled, accountId: creator.account.id })).toEqual({
      kind: "done",
      result: "superseded",
    });
    expect(await setup.pinterest.calls(CREATE)).toBe(0);
  });

  test.each([
    ["answered before the rows go", 0],
    ["answered when the rows are gone", SETTLE_MS],
  ])("a pin being published is sent once and never again: %s", async (_, hangsMs) => {
    const creator = await setup.insertCreator();
    const scheduled = await setup.scheduled(creator);
    const run = { ...scheduled, accountId: creator.account.id };
    await setup.pinterest.resetCalls();
    const worker = heldAtPinterest(setup.job());
    const publishing = publishDuePin(worker.ctx, run);
    await worker.called;
    await leave(creator);
    expect(await eraseUser(setup.job(), creator)).toMatchObject({ kind: "wait" });
    await setup.moveClock(hangsMs);
    if (hangsMs > 0) expect(await eraseUser(setup.job(), creator)).toEqual({ kind: "done" });
    worker.allow();
    const ended = await publishing;
    expect(ended).toMatchObject({ kind: "done", result: hangsMs > 0 ? "superseded" : "published" });
    expect(await setup.publicPins(creator)).toHaveLength(1);
    if (hangsMs === 0) await erase(setup, creator);
    // A later worker or the sweep finds nothing to send.
    expect(await publishDuePin(setup.job("other"), run)).toMatchObject({ result: "superseded" });
    expect(await setup.pinterest.calls(CREATE)).toBe(1);
    expect(await setup.job().db.$count(pins, eq(pins.userId, creator.userId))).toBe(0);
  });

  test("R-SRV-01 running tasks are canceled and their reserved credits returned", async () => {
    const creator = await setup.insertCreator();
    await generate(creator, ["one", "two", "three"]);
    await leave(creator);
    await eraseUser(setup.job(), creator);
    const tasks = await setup.job().db.select().from(generationTasks).where(eq(generationTasks.userId, creator.userId));
    expect(tasks.map(({ status }) => status)).toEqual(["FAILURE", "FAILURE", "FAILURE"]);
    expect(await findBalance(setup.job(), creator.userId)).toMatchObject({ allowance: 5, held: 0 });
  });
});

describe("interruptions", () => {
  test("the sweep continues after a crash following the commit", async () => {
    const creator = await setup.insertCreator();
    setup.harness.failNextSend();
    await leave(creator);
    const mine = () => setup.harness.sentEvents.filter(({ id }) => id.startsWith(`erase:${creator.userId}`));
    await sweepErasures(setup.job());
    const early = mine().length;
    await setup.moveClock(SWEEP_AFTER_MS + 1_000);
    await sweepErasures(setup.job());
    expect(mine().slice(early)).toEqual([
      { name: "privacy/erasure.requested", id: `erase:${creator.userId}:1`, data: { userId: creator.userId } },
    ]);
    await erase(setup, creator);
    await setup.moveClock(SWEEP_AFTER_MS + SETTLE_MS);
    await sweepErasures(setup.job());
    expect(mine()).toHaveLength(early + 1);
  });

  test("an interrupted erasure is resumed until the last image is deleted", async () => {
    const creator = await setup.insertCreator();
    const keys = [await storeImage(setup), await storeImage(setup)];
    for (const imageKey of keys) await setup.draft(creator, { imageKey });
    await leave(creator);
    await eraseUser(setup.job(), creator);
    await setup.moveClock(SETTLE_MS);
    const job = setup.job();
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
    await expect(eraseUser(dying, creator)).rejects.toThrow("The storage does not answer.");
    expect(await setup.job().db.$count(logins, eq(logins.userId, creator.userId))).toBe(0);
    expect(await eraseUser(job, creator)).toEqual({ kind: "done" });
    for (const key of keys) expect(await job.storage.get(key)).toBeNull();
  });

  test("an erasure deletes the images of its user and does not wait for those of others", async () => {
    const creator = await setup.insertCreator();
    const own = [await storeImage(setup), await storeImage(setup)];
    for (const imageKey of own) await setup.draft(creator, { imageKey });
    const db = setup.job().db;
    await db.delete(orphanedImages);
    await db.execute(sql`insert into orphaned_images (key, since)
      select 'pins/other-' || n || '.jpg', now() - interval '8 days' from generate_series(1, 1200) as n`);
    await leave(creator);
    await erase(setup, creator);
    for (const key of own) expect(await setup.job().storage.get(key)).toBeNull();
    const left = await db.select({ key: orphanedImages.key }).from(orphanedImages);
    expect(left.filter(({ key }) => key.startsWith("pins/other-"))).toHaveLength(1_200);
    expect(left).toHaveLength(await db.$count(orphanedImages, isNull(orphanedImages.erasedUserId)));
    await db.delete(orphanedImages);
  });

  test("images whose pins are erased while the nightly run deletes others are deleted too", async () => {
    const creator = await setup.insertCreator();
    const [own, other] = [await storeImage(setup), await storeImage(setup)];
    await setup.draft(creator, { imageKey: own });
    await leave(creator);
    await eraseUser(setup.job(), creator);
    await setup.moveClock(SETTLE_MS);
    const job = setup.job();
    // Groups are erased before pins, so the image is due while its pin still uses it.
    await markImagesForDeletion(job, { imageKeys: [own], erasedUserId: creator.userId });
    await markImagesForDeletion(job, { imageKeys: [other] });
    const remove = async (key: string) => {
      await erasePins(job, creator);
      await job.storage.delete(key);
    };
    // The clock of its server is ahead of the database's.
    const now = () => addMs(job.now(), SECOND_MS);
    await purgeImages({ ...job, now, storage: { ...job.storage, delete: remove } });
    expect(await eraseUser(job, creator)).toEqual({ kind: "done" });
    for (const key of [own, other]) expect(await job.storage.get(key)).toBeNull();
  });

  test("a late OAuth callback stores no tokens", async () => {
    const creator = await setup.insertCreator();
    const { userId, account } = creator;
    await leave(creator);
    const tokens = {
      accessToken: "pina_late",
      refreshToken: "pinr_late",
      accessExpiresAt: new Date(),
      refreshExpiresAt: new Date(),
      scopes: [],
    };
    const profile = { pinterestUserId: account.pinterestUserId, username: account.username };
    const stored = await storeConnection(setup.job(), { userId, accountId: null, tokens, profile } as never);
    expect(stored).toEqual({ kind: "failed", reason: "state" });
    const [row] = await setup.job().db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
    expect(row).toMatchObject({ status: "removed", accessTokenSealed: null });
  });
});

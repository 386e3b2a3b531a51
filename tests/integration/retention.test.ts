import { eq, like, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { oauthStates } from "#db/schema/accounts.ts";
import { generationGroups } from "#db/schema/generation.ts";
import { emailChanges, emailVerifications, logins, passwordResets } from "#db/schema/identity.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { purgeExpired } from "#inngest/functions/maintenance.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { generateTaskImage } from "#lib/features/generation/drafting.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { failTask } from "#lib/features/generation/tasks.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { orphanImage } from "#lib/features/pins/images.ts";
import { purgePins } from "#lib/features/pins/retention.ts";
import { applyRetentionRule, RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { until } from "#tests/support/poll.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";
import { generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

setProcessContainer(() => setup.harness);

/** A job context some days from now. */
const jobIn = (days: number): FullCtx => ({ ...setup.job(), now: () => addMs(new Date(), days * DAY_MS) });
const daysAgo = (days: number) => addMs(new Date(), -days * DAY_MS - MINUTE_MS);

describe("retention periods", () => {
  test("logins 30 days after they were revoked or expired", async () => {
    const { ctx, userId } = await setup.insertCreator();
    const login = (id: string, expiresAt: Date, revokedAt: Date | null = null) => {
      return { id, userId, createdAt: daysAgo(90), expiresAt, revokedAt };
    };
    await ctx.db
      .insert(logins)
      .values([
        login("good", daysAgo(-1)),
        login("expired", daysAgo(29)),
        login("long expired", daysAgo(30)),
        login("revoked", daysAgo(-1), daysAgo(29)),
        login("long revoked", daysAgo(-1), daysAgo(30)),
      ]);
    expect(await RETENTION_RULES.logins(setup.job())).toBe(2);
    const rows = await ctx.db.select({ id: logins.id }).from(logins);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(["expired", "good", "revoked"]);
    expect(await RETENTION_RULES.logins(setup.job())).toBe(0);
  });

  test("verification links a week after they were used or expired", async () => {
    const { ctx, userId } = await setup.insertCreator();
    const link = (tokenHash: string, expiresAt: Date, usedAt: Date | null = null) => {
      return { tokenHash, userId, emailKey: "a@example.com", createdAt: daysAgo(90), expiresAt, usedAt };
    };
    await ctx.db
      .insert(emailVerifications)
      .values([
        link("good", daysAgo(-1)),
        link("expired", daysAgo(6)),
        link("long expired", daysAgo(7)),
        link("long used", daysAgo(-1), daysAgo(7)),
      ]);
    expect(await RETENTION_RULES.verifications(setup.job())).toBe(2);
    const rows = await ctx.db.select({ id: emailVerifications.tokenHash }).from(emailVerifications);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(["expired", "good"]);
  });

  test("reset links and email changes a week after they were used or expired", async () => {
    const { ctx, userId } = await setup.insertCreator();
    const times = (expiresAt: Date) => ({ userId, createdAt: daysAgo(90), expiresAt });
    const link = (tokenHash: string, expiresAt: Date, usedAt: Date | null = null) => {
      return { tokenHash, ...times(expiresAt), usedAt };
    };
    const change = (id: string, expiresAt: Date, endedAt: Date | null = null) => {
      return { id, tokenHash: id, email: "a@example.com", ...times(expiresAt), endedAt };
    };
    const [good, expired, longExpired, longUsed] = [daysAgo(-1), daysAgo(6), daysAgo(7), daysAgo(7)];
    await ctx.db
      .insert(passwordResets)
      .values([
        link("good", good),
        link("expired", expired),
        link("long expired", longExpired),
        link("long used", good, longUsed),
      ]);
    await ctx.db
      .insert(emailChanges)
      .values([
        change("good", good),
        change("expired", expired),
        change("long expired", longExpired),
        change("long ended", good, longUsed),
      ]);
    expect([await RETENTION_RULES.resets(setup.job()), await RETENTION_RULES["email-changes"](setup.job())]).toEqual([
      2, 2,
    ]);
    const links = await ctx.db.select({ id: passwordResets.tokenHash }).from(passwordResets);
    const changes = await ctx.db.select({ id: emailChanges.id }).from(emailChanges);
    for (const rows of [links, changes]) expect(rows.map(({ id }) => id).toSorted()).toEqual(["expired", "good"]);
  });

  test("OAuth states a day after they expired", async () => {
    const { ctx, userId } = await setup.insertCreator();
    const state = (stateHash: string, expiresAt: Date) => ({ stateHash, browserHash: "b", userId, expiresAt });
    await ctx.db.insert(oauthStates).values([state("expired", daysAgo(0)), state("long expired", daysAgo(1))]);
    expect(await RETENTION_RULES.states(setup.job())).toBe(1);
    const rows = await ctx.db.select({ id: oauthStates.stateHash }).from(oauthStates);
    expect(rows).toEqual([{ id: "expired" }]);
  });

  test("images of deleted drafts and failed tasks after a week; those of drafts stay", async () => {
    const creator = await setup.insertCreator();
    const { groupId } = await setup.start(creator, ["kept", "deleted", "failed"]);
    const [remaining, deleted, failed] = await setup.tasksOf(groupId).then((tasks) => tasks.map(({ id }) => id));
    const done = [await setup.drive(remaining ?? ""), await setup.drive(deleted ?? "")];
    await deleteDrafts(creator.ctx, { pinIds: [done[1]?.pinId ?? ""] });
    expect([await purgePins(jobIn(0.9)), await purgePins(jobIn(1.1))]).toEqual([0, 1]);
    await generateTaskImage(setup.job(), { taskId: failed ?? "", attempt: 0 });
    await failTask(setup.job(), { taskId: failed ?? "" });
    // An orphaned key whose image is still in use must not be purged.
    await orphanImage(setup.job(), { imageKey: done[0]?.imageKey ?? "" });
    const keys = (await setup.tasksOf(groupId)).map(({ imageKey }) => imageKey ?? "");
    const stored = async () => Promise.all(keys.map(async (key) => (await setup.job().storage.get(key)) !== null));

    expect(await purgeImages(jobIn(6.9))).toBe(0);
    expect(await stored()).toEqual([true, true, true]);
    expect(await purgeImages(jobIn(7.1))).toBe(2);
    expect(await stored()).toEqual([true, false, false]);
    expect((await setup.tasksOf(groupId)).map(({ imageKey }) => imageKey)).toEqual([keys[0], null, null]);
    expect(await setup.job().db.select().from(orphanedImages)).toEqual([]);
  });
});

test("the nightly run", async () => {
  const { ctx, userId } = await setup.insertCreator();
  const long = daysAgo(400);
  await ctx.db.insert(logins).values({ id: "old", userId, createdAt: long, expiresAt: long });
  await ctx.db
    .insert(emailVerifications)
    .values({ tokenHash: "old", userId, emailKey: "a@example.com", createdAt: long, expiresAt: long });
  await ctx.db.insert(oauthStates).values({ stateHash: "old", browserHash: "b", userId, expiresAt: long });
  await ctx.db.insert(orphanedImages).values({ key: "pins/old.jpg", since: long });
  const before = await startHarness(setup.databaseUrl, () => [purgeExpired], { schema: "executor_retire" });
  await until(async () => (await before.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
  await before.close();
  await before.query("update cron_tick set last_at = $1", [addMs(new Date(), -DAY_MS).toISOString()]);
  const executor = await startHarness(setup.databaseUrl, () => [purgeExpired], { schema: "executor_retire" });
  await untilEnded(executor.url, "purge");
  const left = await Promise.all([
    ctx.db.$count(logins, eq(logins.id, "old")),
    ctx.db.$count(emailVerifications, eq(emailVerifications.tokenHash, "old")),
    ctx.db.$count(oauthStates, eq(oauthStates.stateHash, "old")),
    ctx.db.$count(orphanedImages),
  ]);
  expect(left).toEqual([0, 0, 0, 0]);
});

test("generation groups and tasks 90 days after they finished, in batches; drafts and ledger stay", async () => {
  const { ctx, ...creator } = await setup.insertCreator();
  const { groupId } = await setup.start({ ctx, ...creator }, ["kept draft", "never finished"]);
  const [task] = await setup.tasksOf(groupId);
  if (!task) throw new Error("The group has tasks.");
  await failTask(setup.job(), { taskId: task.id });
  await RETENTION_RULES.groups(jobIn(400));
  const [group] = await ctx.db.select().from(generationGroups).where(eq(generationGroups.id, groupId));
  if (!group) throw new Error("The group is there.");
  await ctx.db.update(generationGroups).set({ finishedAt: new Date() }).where(eq(generationGroups.id, groupId));
  const copies = Array.from({ length: 249 }, (_, n) => ({ ...group, id: `grp_copy${n}`, finishedAt: new Date() }));
  await ctx.db.insert(generationGroups).values(copies);

  expect(await RETENTION_RULES.groups(jobIn(89.9))).toBe(0);
  const both = await Promise.all([RETENTION_RULES.groups(jobIn(90.1)), RETENTION_RULES.groups(jobIn(90.1))]);
  expect(both[0] + both[1]).toBe(250);
  expect(await RETENTION_RULES.groups(jobIn(90.1))).toBe(0);
  expect(await setup.tasksOf(groupId)).toEqual([]);
  expect(await checkLedger(setup.job())).toMatchObject({ sumCredits: 0 });
});

describe("a night has no cap", () => {
  test("R-SRV-07 all images that are due are deleted, however many", async () => {
    const { db, storage } = setup.job();
    await db.delete(orphanedImages);
    await db.execute(sql`insert into orphaned_images (key, since)
      select 'pins/' || md5(n::text) || '.jpg', now() - interval '8 days' from generate_series(1, 5600) as n`);
    await db.insert(orphanedImages).values({ key: "pins/recent.jpg", since: new Date() });
    let [working, mostWorking] = [0, 0];
    const remove: FullCtx["storage"]["delete"] = async (key) => {
      working += 1;
      mostWorking = Math.max(mostWorking, working);
      await storage.delete(key);
      working -= 1;
    };
    expect(await purgeImages({ ...setup.job(), storage: { ...storage, delete: remove } })).toBe(5_600);
    expect(await db.select({ key: orphanedImages.key }).from(orphanedImages)).toEqual([{ key: "pins/recent.jpg" }]);
    expect(mostWorking).toBeGreaterThan(1);
    await db.delete(orphanedImages);
  });

  test("all finished groups that are due are deleted, and a step that used up its time is followed by another", async () => {
    const { ctx, userId, accountId } = await setup.insertCreator();
    const insert = (groups: number) =>
      ctx.db.execute(sql`insert into generation_groups
        (id, user_id, account_id, board_id, quality, total_tasks, created_at, finished_at)
        select 'grp_many' || n, ${userId}, ${accountId}, '1', 'standard', 1, now(), now() - interval '91 days'
        from generate_series(1, ${groups}::int) as n`);
    const left = () => ctx.db.$count(generationGroups, like(generationGroups.id, "grp_many%"));
    await insert(20_150);
    expect(await applyRetentionRule(setup.job(), { rule: "groups" })).toEqual({ deleted: 20_150, hasMore: false });
    expect(await left()).toBe(0);
    await insert(150);
    expect(await applyRetentionRule(setup.job(), { rule: "groups", maxMs: 0 })).toEqual({
      deleted: 100,
      hasMore: true,
    });
    expect(await left()).toBe(50);
    expect(await applyRetentionRule(setup.job(), { rule: "groups", maxMs: 0 })).toEqual({ deleted: 50, hasMore: true });
    expect(await applyRetentionRule(setup.job(), { rule: "groups", maxMs: 0 })).toEqual({ deleted: 0, hasMore: false });
  });
});

import { eq, gt, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { purgeLinkChecks } from "#lib/features/links/checks.ts";
import { RECHECK_GAP_MS } from "#lib/features/links/constants.ts";
import { isPinOf } from "#lib/features/links/queries.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { purgePins } from "#lib/features/pins/retention.ts";
import { findStart, readEvents } from "#lib/features/realtime/events.ts";
import { linksSetup } from "./links-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const setup = linksSetup();

/** Copies of a draft with the same link. */
const copyDraft = ({ ctx }: Creator, pinId: string, count: number) =>
  ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, link, image_key, status, created_at, updated_at)
    select 'pin_' || lpad(n::text, 26, '0') || ${pinId}, user_id, account_id, board_id, source, title, link, image_key,
      status, created_at, updated_at
    from pins, generate_series(1, ${count}) as n where id = ${pinId}`);

describe("one link shared by very many pins", () => {
  test("R-SRV-08 a check notifies each owner once about their own pins, a hundred at most individually", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const url = setup.page(404);
    const first = await setup.draftTo(creator, url);
    const theirs = await setup.draftTo(other, url);
    await copyDraft(creator, first, 100);
    await copyDraft(other, theirs, 99);
    const position = async ({ ctx, userId }: Creator) => (await findStart(ctx, { userId, after: null })).position;
    const [before, beforeOther] = [await position(creator), await position(other)];
    const since = Math.max(before, beforeOther);
    const expected = async ({ userId, ctx }: Creator) => {
      const rows = await ctx.db.select().from(liveEvents).where(gt(liveEvents.id, since));
      return rows.filter((row) => row.userId === userId).map(({ kind }) => kind);
    };
    await setup.check(url);
    expect(await expected(creator)).toEqual(["reset"]);
    expect(await expected(other)).toEqual(Array.from({ length: 100 }, () => "post"));
    expect(await readEvents(creator.ctx, { userId: creator.userId, after: before })).toEqual({ kind: "too_much" });
    expect(await readEvents(other.ctx, { userId: other.userId, after: beforeOther })).toMatchObject({ kind: "events" });
    await setup.moveClock(RECHECK_GAP_MS);
    await recheckLink(other.ctx, { pinId: theirs });
    await setup.check(url);
    expect(await expected(creator)).toEqual(["reset", "reset"]);
  });

  test("R-SRV-08 finds the pins of a link by an index of digests, even with many equal links", async () => {
    const plan = await setup.job().db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const lines = await tx.execute<{ "QUERY PLAN": string }>(
        sql`explain select from pins, ${linkChecks} where ${isPinOf(linkChecks.url)} and ${eq(linkChecks.urlHash, "x")}`,
      );
      return lines.map((line) => line["QUERY PLAN"]).join("\n");
    });
    expect(plan).toMatch(/pins_link/);
    const [index] = await setup
      .job()
      .db.execute<{ indexdef: string }>(sql`select indexdef from pg_indexes where indexname = 'pins_link'`);
    expect(index?.indexdef).toContain("btree (md5(link))");
  });
});

describe("the nightly sweep", () => {
  test("R-SRV-03 keeps a result of the last day, however long ago it was requested", async () => {
    const creator = await setup.insertCreator();
    const url = setup.page(404);
    const pinId = await setup.draftTo(creator, url);
    await setup.check(url);
    const { db } = creator.ctx;
    const own = eq(linkChecks.url, url);
    await db.update(linkChecks).set({ requestedAt: sql`now() - interval '25 hours'` }).where(own);
    await db.delete(pins).where(eq(pins.id, pinId));
    await purgeLinkChecks(setup.job());
    expect(await db.$count(linkChecks, own)).toBe(1);
    await setup.moveClock(RETENTION_MS.strayLinkCheck + MINUTE_MS);
    await purgeLinkChecks(setup.job());
    expect(await db.$count(linkChecks, own)).toBe(0);
  });

  test("R-POST-11 deletes pins one user at a time, so that it never locks two users", async () => {
    const creators = [await setup.insertCreator(), await setup.insertCreator()];
    for (let n = 0; n < 2; n += 1) {
      for (const creator of creators) await deleteDrafts(creator.ctx, { pinIds: [await setup.draft(creator)] });
    }
    await setup.moveClock(RETENTION_MS.deletedPin + MINUTE_MS);
    expect(await purgePins(setup.job())).toBe(4);
    const rows = await setup.job().db.execute<{ users: number }>(sql`
      select count(distinct user_id)::int as users from live_events where kind = 'post_removed' group by xmin::text`);
    expect(rows.map(({ users }) => users)).toEqual(expect.arrayContaining([1, 1]));
    expect(rows.filter(({ users }) => users > 1)).toEqual([]);
  });
});

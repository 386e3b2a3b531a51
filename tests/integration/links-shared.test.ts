import { eq, gt, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { retireChecks } from "#lib/features/links/checks.ts";
import { AGAIN_MS } from "#lib/features/links/constants.ts";
import { isPinOf } from "#lib/features/links/queries.ts";
import { deleteDrafts } from "#lib/features/pins/drafts.ts";
import { recheckLink } from "#lib/features/pins/edits.ts";
import { retirePins } from "#lib/features/pins/retention.ts";
import { findStart, readNews } from "#lib/features/realtime/events.ts";
import { linksWorld } from "./links-house.ts";
import type { Maker } from "./publishing-house.ts";

const world = linksWorld();

/** Copies of a draft, with its link. */
const copyDraft = ({ ctx }: Maker, pinId: string, count: number) =>
  ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, link, image_key, status, created_at, updated_at)
    select 'pin_' || lpad(n::text, 26, '0') || ${pinId}, user_id, account_id, board_id, source, title, link, image_key,
      status, created_at, updated_at
    from pins, generate_series(1, ${count}) as n where id = ${pinId}`);

describe("one link of very many pins", () => {
  test("R-SRV-08 a look tells an owner of them once, of a hundred at most one by one, and others of theirs alone", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const url = world.page(404);
    const first = await world.draftTo(maker, url);
    const theirs = await world.draftTo(other, url);
    await copyDraft(maker, first, 100);
    await copyDraft(other, theirs, 99);
    const position = async ({ ctx, userId }: Maker) => (await findStart(ctx, { userId, after: null })).position;
    const [before, beforeOther] = [await position(maker), await position(other)];
    const since = Math.max(before, beforeOther);
    const told = async ({ userId, ctx }: Maker) => {
      const rows = await ctx.db.select().from(liveEvents).where(gt(liveEvents.id, since));
      return rows.filter((row) => row.userId === userId).map(({ kind }) => kind);
    };
    await world.check(url);
    expect(await told(maker)).toEqual(["reset"]);
    expect(await told(other)).toEqual(Array.from({ length: 100 }, () => "post"));
    expect(await readNews(maker.ctx, { userId: maker.userId, after: before })).toEqual({ kind: "too_much" });
    expect(await readNews(other.ctx, { userId: other.userId, after: beforeOther })).toMatchObject({ kind: "news" });
    await world.moveClock(AGAIN_MS);
    await recheckLink(other.ctx, { pinId: theirs });
    await world.check(url);
    expect(await told(maker)).toEqual(["reset", "reset"]);
  });

  test("R-SRV-08 the pins of an address are found by a tree of digests, which many equal links do not lengthen", async () => {
    const plan = await world.job().db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const lines = await tx.execute<{ "QUERY PLAN": string }>(
        sql`explain select from pins, ${linkChecks} where ${isPinOf(linkChecks.url)} and ${eq(linkChecks.urlHash, "x")}`,
      );
      return lines.map((line) => line["QUERY PLAN"]).join("\n");
    });
    expect(plan).toMatch(/pins_link/);
    const [index] = await world
      .job()
      .db.execute<{ indexdef: string }>(sql`select indexdef from pg_indexes where indexname = 'pins_link'`);
    expect(index?.indexdef).toContain("btree (md5(link))");
  });
});

describe("the nightly sweep", () => {
  test("R-SRV-03 a verdict of the last day stays for whoever uses its link next, however long ago it was asked for", async () => {
    const maker = await world.makeMaker();
    const url = world.page(404);
    const pinId = await world.draftTo(maker, url);
    await world.check(url);
    const { db } = maker.ctx;
    const own = eq(linkChecks.url, url);
    await db.update(linkChecks).set({ requestedAt: sql`now() - interval '25 hours'` }).where(own);
    await db.delete(pins).where(eq(pins.id, pinId));
    await retireChecks(world.job());
    expect(await db.$count(linkChecks, own)).toBe(1);
    await world.moveClock(RETENTION_MS.strayLinkCheck + MINUTE_MS);
    await retireChecks(world.job());
    expect(await db.$count(linkChecks, own)).toBe(0);
  });

  test("R-POST-11 deleted pins go one user after the other, so that it stands in nobody's way with two", async () => {
    const makers = [await world.makeMaker(), await world.makeMaker()];
    for (let n = 0; n < 2; n += 1) {
      for (const maker of makers) await deleteDrafts(maker.ctx, { pinIds: [await world.draft(maker)] });
    }
    await world.moveClock(RETENTION_MS.deletedPin + MINUTE_MS);
    expect(await retirePins(world.job())).toBe(4);
    const rows = await world.job().db.execute<{ users: number }>(sql`
      select count(distinct user_id)::int as users from live_events where kind = 'post_removed' group by xmin::text`);
    expect(rows.map(({ users }) => users)).toEqual(expect.arrayContaining([1, 1]));
    expect(rows.filter(({ users }) => users > 1)).toEqual([]);
  });
});

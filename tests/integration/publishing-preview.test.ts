import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMinutes, addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { momentOf, wallTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";
import { KNOWN_PINS_MAX, TEXTS } from "#lib/features/publishing/constants.ts";
import { findPublished } from "#lib/features/publishing/queries.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { previewSchedule } from "#lib/features/publishing/schedule-preview.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";
import { rowsRead } from "./rows-read.ts";

const world = publishingWorld();

const draftsOf = (maker: Maker, count: number): Promise<PinId[]> =>
  Promise.all(Array.from({ length: count }, () => world.draft(maker)));

const preview = ({ ctx }: Maker, pinIds: string[], start: Date | null = null, intervalMinutes = 60) =>
  previewSchedule(ctx, { pinIds, intervalMinutes, start });

const code = (expected: string) => expect.objectContaining({ code: expected });

const inHours = (hours: number): Date =>
  addMs(new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS), hours * HOUR_MS);

const scheduleAt = async (maker: Maker, at: Date, change: Parameters<typeof world.draft>[1] = {}): Promise<PinId> => {
  const pinId = await world.draft(maker, change);
  await scheduleBatch(maker.ctx, { pinIds: [pinId], intervalMinutes: 60, start: at });
  return pinId;
};

/** Rows of an account that are copied from one pin, in the state and at the times that `change` gives them. */
const multiply = (maker: Maker, pinId: PinId, count: number, state: "scheduled" | "published", stepMinutes: number) => {
  const column = state === "scheduled" ? sql`scheduled_at` : sql`published_at`;
  const step = sql`make_interval(mins => n * ${state === "scheduled" ? stepMinutes : -stepMinutes})`;
  return maker.ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, image_key, likeness, status, ${column}, created_at, updated_at)
    select ${state} || n || id, user_id, account_id, board_id, source, ${state} || ' ' || n, image_key,
      lpad(to_hex(n * 2654435761), 16, '0'), ${state}, now() + ${step}, now(), now()
    from pins, generate_series(1, ${count}) as n where id = ${pinId}`);
};

describe("preview-schedule", () => {
  test("R-SCH-09 A-35 it tells the times that scheduling then gives, and changes nothing", async () => {
    const maker = await world.makeMaker();
    const [a, b, c] = (await draftsOf(maker, 3)) as [PinId, PinId, PinId];
    const start = inHours(30);
    const seen = await preview(maker, [c, a, b], start, 90);
    expect(seen).toMatchObject({ start: start.toISOString(), free_start: null });
    expect(seen.slots.map(({ post_id }) => post_id)).toEqual([c, a, b]);
    for (const id of [a, b, c]) expect(await world.pin(id)).toMatchObject({ status: "draft", scheduledAt: null });
    await scheduleBatch(maker.ctx, { pinIds: [c, a, b], intervalMinutes: 90, start });
    for (const { post_id, due_at } of seen.slots) {
      expect((await world.pin(post_id as PinId)).scheduledAt?.toISOString()).toBe(due_at);
    }
  });

  test("R-SCH-01 a scheduled pin within five minutes is named, with a start that is clear of all of them", async () => {
    const maker = await world.makeMaker();
    const start = inHours(24);
    await scheduleAt(maker, addMinutes(start, 62), { title: "Already there" });
    await scheduleAt(maker, addMinutes(start, 69), { title: "Right after it" });
    await scheduleAt(maker, addMinutes(start, 5), { title: "Far enough" });
    const drafts = await draftsOf(maker, 3);
    const seen = await preview(maker, drafts, start);
    expect(seen.slots.map(({ clash }) => clash?.title ?? null)).toEqual([null, "Already there", null]);
    expect(seen.slots[1]?.clash?.scheduled_at).toBe(addMinutes(start, 62).toISOString());
    // Past the first one, 14 minutes on: the second is at 69 - 60 = 9, and the first pin must clear the one at 5.
    expect(seen.free_start).toBe(addMinutes(start, 14).toISOString());
    const shifted = await preview(maker, drafts, new Date(seen.free_start ?? ""));
    expect([shifted.free_start, shifted.slots.some(({ clash }) => clash !== null)]).toEqual([null, false]);
  });

  test("R-SCH-01 what is nearly the same is named: scheduled, published lately, or chosen before; not what is old", async () => {
    const maker = await world.makeMaker();
    const looks = { likeness: "00ff00ff00ff00ff", placeholder: null };
    await scheduleAt(maker, inHours(48), { title: "Waiting", ...looks });
    const published = await world.draft(maker, { title: "Cosy kitchens", likeness: null });
    const old = await world.draft(maker, { title: "Long ago", likeness: null });
    const publish = (id: PinId, days: number) =>
      maker.ctx.db.execute(
        sql`update pins set status = 'published', published_at = now() - make_interval(days => ${days}) where id = ${id}`,
      );
    await publish(published, 89);
    await publish(old, 91);
    const drafts = [
      await world.draft(maker, { title: "Another look", likeness: "00ff00ff00ff00fe" }),
      await world.draft(maker, { title: "COSY kitchens!" }),
      await world.draft(maker, { title: "Long ago" }),
      await world.draft(maker, { title: "cosy - kitchens", likeness: "ffffffffffffffff" }),
      await world.draft(maker, { title: "Its twin", likeness: "ffffffffffffff00" }),
      await world.draft(maker, { title: "Nobody's" }),
    ];
    const { slots } = await preview(maker, drafts, inHours(24));
    expect(slots.map(({ twin }) => twin && [twin.title, twin.by, twin.status, twin.at !== null])).toEqual([
      ["Waiting", "picture", "scheduled", true],
      ["Cosy kitchens", "title", "published", true],
      null,
      ["Cosy kitchens", "title", "published", true],
      ["cosy - kitchens", "picture", "selected", false],
      null,
    ]);
    const shown = await world.pin(published);
    expect(slots[1]?.twin?.image_url).toBe(`/api/images/${shown.imageKey}`);
    const chosen = await world.pin(drafts[3] as PinId);
    expect(slots[4]?.twin?.image_url).toBe(`/api/images/${chosen.imageKey}`);
  });

  test("R-SCH-10 what could not be scheduled cannot be looked at either", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const [own, scheduled, failed] = (await draftsOf(maker, 3)) as [PinId, PinId, PinId];
    const foreign = await world.draft(stranger);
    await world.schedule(maker, [scheduled]);
    await maker.ctx.db.execute(sql`update pins set status = 'failed' where id = ${failed}`);
    for (const id of [foreign, "pin_00000000000000000000000000", "nonsense"]) {
      await expect(preview(maker, [own, id])).rejects.toEqual(code("not_found"));
    }
    for (const id of [scheduled, failed]) {
      await expect(preview(maker, [own, id])).rejects.toEqual(code("wrong_state"));
    }
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    await expect(preview(maker, [own])).rejects.toEqual(code("not_found"));
  });

  test("R-SCH-04 R-SCH-05 A-36 nothing, too much, the same twice, odd intervals and odd starts are invalid", () => {
    const good = { post_ids: ["pin_a"], interval_minutes: 60 };
    expect(scheduleBatchInput.safeParse(good).success).toBe(true);
    const many = Array.from({ length: 501 }, (_, n) => `pin_${n}`);
    const bad: object[] = [[], many, ["pin_a", "pin_a"], [""], [7], "pin_a"].map((post_ids) => ({ ...good, post_ids }));
    bad.push(...[0, -1, 0.5, 43_201, "60", null].map((interval_minutes) => ({ ...good, interval_minutes })));
    bad.push(...["tomorrow", "2027-01-01", "2027-01-01T10:00:00", 5].map((start) => ({ ...good, start })));
    for (const input of bad) expect([input, scheduleBatchInput.safeParse(input).success]).toEqual([input, false]);
  });

  test("R-SCH-09 A-34 a start that has just passed means now; one longer ago or beyond a year is refused", async () => {
    const maker = await world.makeMaker();
    const drafts = await draftsOf(maker, 2);
    const now = world.job().now();
    const { start, slots } = await preview(maker, drafts, addMs(now, -MINUTE_MS / 2));
    expect(Date.parse(start)).toBeGreaterThanOrEqual(now.getTime());
    expect(slots[0]?.due_at).toBe(start);
    await preview(maker, drafts, addMs(now, 365 * DAY_MS));
    await expect(preview(maker, drafts, addMs(now, 368 * DAY_MS))).rejects.toEqual(code("invalid"));
    await expect(preview(maker, drafts, addMs(now, -2 * MINUTE_MS))).rejects.toMatchObject({
      code: "invalid",
      message: TEXTS.timePassed,
    });
  });

  test("R-SCH-09 where clocks are set in between, pins keep their distance and the clock shows other times", async () => {
    const maker = await world.makeMaker();
    const drafts = await draftsOf(maker, 4);
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]) {
      const offsetAt = (hours: number) => zoneOffsetMs(inHours(hours), zone);
      const daysOn = Array.from({ length: 330 }, (_, days) => days + 3).find(
        (d) => offsetAt(24 * (d + 2)) !== offsetAt(24 * d),
      );
      if (daysOn === undefined) throw new Error(`${zone} sets no clocks.`);
      const dayBefore = wallTimeOf(inHours(24 * (daysOn - 1)), zone);
      const start = momentOf({ ...dayBefore, time: "12:00" }, zone)?.at ?? new Date(0);
      const { slots } = await preview(maker, drafts, start, 1_440);
      const due = slots.map(({ due_at }) => new Date(due_at));
      expect(due.map((at) => (at.getTime() - start.getTime()) / DAY_MS)).toEqual([0, 1, 2, 3]);
      const later = await preview(maker, drafts, addMs(start, 4 * DAY_MS), 1_440);
      const shown = [...due, ...later.slots.map(({ due_at }) => new Date(due_at))].map(
        (at) => wallTimeOf(at, zone).time,
      );
      expect([shown[0], new Set(shown).size]).toEqual(["12:00", 2]);
    }
  });

  test("R-SCH-01 with 10,000 pins in the account it reads no more than it may, and says nothing that it did not read", async () => {
    const maker = await world.makeMaker();
    const pattern = await world.draft(maker);
    await multiply(maker, pattern, KNOWN_PINS_MAX + 50, "scheduled", 9);
    await multiply(maker, pattern, KNOWN_PINS_MAX + 50, "published", 12);
    const near = await world.draft(maker, { title: "Published 3" });
    const far = await world.draft(maker, { title: `published ${KNOWN_PINS_MAX + 20}` });
    const drafts = [near, far, ...(await draftsOf(maker, 198))];
    const seen = await preview(maker, drafts, null, 7);
    expect(seen.slots).toHaveLength(200);
    expect(seen.slots.filter(({ clash }) => clash).length).toBeGreaterThan(100);
    // Every gap is too short for a pin, and what comes after the last one that was read is not known.
    expect(seen.free_start).toBeNull();
    expect(seen.slots[0]?.twin).toMatchObject({ title: "published 3", by: "title", status: "published" });
    expect(seen.slots[1]?.twin).toBeNull();
  });

  test("R-SCH-01 of what the account has published it reads the last 90 days, whatever else is there", async () => {
    const maker = await world.makeMaker();
    const pattern = await world.draft(maker);
    await multiply(maker, pattern, 3_000, "published", 24 * 60);
    const since = addMs(await databaseTime(maker.ctx), -90.5 * DAY_MS);
    const find = async (tx: Ctx) => {
      expect(await findPublished(tx, { accountIds: [maker.account.id], since })).toHaveLength(90);
    };
    expect(await rowsRead(maker.ctx, "pins", find)).toBeLessThan(100);
  });
});

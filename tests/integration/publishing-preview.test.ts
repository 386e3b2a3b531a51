import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { type Ctx, databaseTime } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMinutes, addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf, zoneOffsetMs } from "#lib/core/zoned-time.ts";
import { KNOWN_PINS_MAX, TEXTS } from "#lib/features/publishing/constants.ts";
import { findPublished } from "#lib/features/publishing/queries.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { previewSchedule } from "#lib/features/publishing/schedule-preview.ts";
import { scheduleBatch } from "#lib/features/publishing/scheduling.ts";
import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";
import { rowsRead } from "./rows-read.ts";

const setup = publishingSetup();

const draftsOf = (creator: Creator, count: number): Promise<PinId[]> =>
  Promise.all(Array.from({ length: count }, () => setup.draft(creator)));

const preview = ({ ctx }: Creator, pinIds: string[], start: Date | null = null, intervalMinutes = 60) =>
  previewSchedule(ctx, { pinIds, intervalMinutes, start });

const code = (expected: string) => expect.objectContaining({ code: expected });

const inHours = (hours: number): Date =>
  addMs(new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS), hours * HOUR_MS);

const scheduleAt = async (
  creator: Creator,
  at: Date,
  change: Parameters<typeof setup.draft>[1] = {},
): Promise<PinId> => {
  const pinId = await setup.draft(creator, change);
  await scheduleBatch(creator.ctx, { pinIds: [pinId], intervalMinutes: 60, start: at });
  return pinId;
};

/** Copies of a pin with the changes that `change` returns. */
const multiply = (
  creator: Creator,
  pinId: PinId,
  count: number,
  state: "scheduled" | "published",
  stepMinutes: number,
) => {
  const column = state === "scheduled" ? sql`scheduled_at` : sql`published_at`;
  const step = sql`make_interval(mins => n * ${state === "scheduled" ? stepMinutes : -stepMinutes})`;
  return creator.ctx.db.execute(sql`
    insert into pins (id, user_id, account_id, board_id, source, title, image_key, likeness, status, ${column}, created_at, updated_at)
    select ${state} || n || id, user_id, account_id, board_id, source, ${state} || ' ' || n, image_key,
      lpad(to_hex(n * 2654435761), 16, '0'), ${state}, now() + ${step}, now(), now()
    from pins, generate_series(1, ${count}) as n where id = ${pinId}`);
};

describe("preview-schedule", () => {
  test("R-SCH-09 A-35 previews the times that scheduling then gives, and changes nothing", async () => {
    const creator = await setup.insertCreator();
    const [a, b, c] = (await draftsOf(creator, 3)) as [PinId, PinId, PinId];
    const start = inHours(30);
    const seen = await preview(creator, [c, a, b], start, 90);
    expect(seen).toMatchObject({ start: start.toISOString(), free_start: null });
    expect(seen.slots.map(({ post_id }) => post_id)).toEqual([c, a, b]);
    for (const id of [a, b, c]) expect(await setup.pin(id)).toMatchObject({ status: "draft", scheduledAt: null });
    await scheduleBatch(creator.ctx, { pinIds: [c, a, b], intervalMinutes: 90, start });
    for (const { post_id, due_at } of seen.slots) {
      expect((await setup.pin(post_id as PinId)).scheduledAt?.toISOString()).toBe(due_at);
    }
  });

  test("R-SCH-01 reports a clash within five minutes, with a start that avoids all of them", async () => {
    const creator = await setup.insertCreator();
    const start = inHours(24);
    await scheduleAt(creator, addMinutes(start, 62), { title: "Already there" });
    await scheduleAt(creator, addMinutes(start, 69), { title: "Right after it" });
    await scheduleAt(creator, addMinutes(start, 5), { title: "Far enough" });
    const drafts = await draftsOf(creator, 3);
    const seen = await preview(creator, drafts, start);
    expect(seen.slots.map(({ clash }) => clash?.title ?? null)).toEqual([null, "Already there", null]);
    expect(seen.slots[1]?.clash?.scheduled_at).toBe(addMinutes(start, 62).toISOString());
    // 14 minutes after the first start, the second pin is at 69 - 60 = 9, and the first must avoid the one at 5.
    expect(seen.free_start).toBe(addMinutes(start, 14).toISOString());
    const shifted = await preview(creator, drafts, new Date(seen.free_start ?? ""));
    expect([shifted.free_start, shifted.slots.some(({ clash }) => clash !== null)]).toEqual([null, false]);
  });

  test("R-SCH-01 reports duplicates that are scheduled, recently published, or selected earlier, but no old ones", async () => {
    const creator = await setup.insertCreator();
    const boardChecks = { likeness: "00ff00ff00ff00ff", placeholder: null };
    await scheduleAt(creator, inHours(48), { title: "Waiting", ...boardChecks });
    const published = await setup.draft(creator, { title: "Cosy kitchens", likeness: null });
    const old = await setup.draft(creator, { title: "Long ago", likeness: null });
    const publish = (id: PinId, days: number) =>
      creator.ctx.db.execute(
        sql`update pins set status = 'published', published_at = now() - make_interval(days => ${days}) where id = ${id}`,
      );
    await publish(published, 89);
    await publish(old, 91);
    const drafts = [
      await setup.draft(creator, { title: "Another look", likeness: "00ff00ff00ff00fe" }),
      await setup.draft(creator, { title: "COSY kitchens!" }),
      await setup.draft(creator, { title: "Long ago" }),
      await setup.draft(creator, { title: "cosy - kitchens", likeness: "ffffffffffffffff" }),
      await setup.draft(creator, { title: "Its twin", likeness: "ffffffffffffff00" }),
      await setup.draft(creator, { title: "Nobody's" }),
    ];
    const { slots } = await preview(creator, drafts, inHours(24));
    expect(
      slots.map(
        ({ duplicate }) => duplicate && [duplicate.title, duplicate.by, duplicate.status, duplicate.at !== null],
      ),
    ).toEqual([
      ["Waiting", "image", "scheduled", true],
      ["Cosy kitchens", "title", "published", true],
      null,
      ["Cosy kitchens", "title", "published", true],
      ["cosy - kitchens", "image", "selected", false],
      null,
    ]);
    const shown = await setup.pin(published);
    expect(slots[1]?.duplicate?.image_url).toBe(`/api/images/${shown.imageKey}`);
    const chosen = await setup.pin(drafts[3] as PinId);
    expect(slots[4]?.duplicate?.image_url).toMatch(new RegExp(`^/api/images/signed/.+/${chosen.imageKey}$`));
  });

  test("R-SCH-10 refuses to preview what cannot be scheduled", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const [own, scheduled, failed] = (await draftsOf(creator, 3)) as [PinId, PinId, PinId];
    const foreign = await setup.draft(stranger);
    await setup.schedule(creator, [scheduled]);
    await creator.ctx.db.execute(sql`update pins set status = 'failed' where id = ${failed}`);
    for (const id of [foreign, "pin_00000000000000000000000000", "nonsense"]) {
      await expect(preview(creator, [own, id])).rejects.toEqual(code("not_found"));
    }
    for (const id of [scheduled, failed]) {
      await expect(preview(creator, [own, id])).rejects.toEqual(code("wrong_state"));
    }
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    await expect(preview(creator, [own])).rejects.toEqual(code("not_found"));
  });

  test("R-SCH-04 R-SCH-05 A-36 empty, too long, and duplicate lists, and odd intervals and starts are invalid", () => {
    const good = { post_ids: ["pin_a"], interval_minutes: 60 };
    expect(scheduleBatchInput.safeParse(good).success).toBe(true);
    const many = Array.from({ length: 501 }, (_, n) => `pin_${n}`);
    const bad: object[] = [[], many, ["pin_a", "pin_a"], [""], [7], "pin_a"].map((post_ids) => ({ ...good, post_ids }));
    bad.push(...[0, -1, 0.5, 43_201, "60", null].map((interval_minutes) => ({ ...good, interval_minutes })));
    bad.push(...["tomorrow", "2027-01-01", "2027-01-01T10:00:00", 5].map((start) => ({ ...good, start })));
    for (const input of bad) expect([input, scheduleBatchInput.safeParse(input).success]).toEqual([input, false]);
  });

  test("R-SCH-09 A-34 a start that just passed means now; earlier ones and those beyond a year are refused", async () => {
    const creator = await setup.insertCreator();
    const drafts = await draftsOf(creator, 2);
    const now = setup.job().now();
    const { start, slots } = await preview(creator, drafts, addMs(now, -MINUTE_MS / 2));
    expect(Date.parse(start)).toBeGreaterThanOrEqual(now.getTime());
    expect(slots[0]?.due_at).toBe(start);
    await preview(creator, drafts, addMs(now, 365 * DAY_MS));
    await expect(preview(creator, drafts, addMs(now, 368 * DAY_MS))).rejects.toEqual(code("invalid"));
    await expect(preview(creator, drafts, addMs(now, -2 * MINUTE_MS))).rejects.toMatchObject({
      code: "invalid",
      message: TEXTS.timePassed,
    });
  });

  test("R-SCH-09 across a clock change pins keep their distance, and local times shift", async () => {
    const creator = await setup.insertCreator();
    const drafts = await draftsOf(creator, 4);
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]) {
      const offsetAt = (hours: number) => zoneOffsetMs(inHours(hours), zone);
      const daysOn = Array.from({ length: 330 }, (_, days) => days + 3).find(
        (d) => offsetAt(24 * (d + 2)) !== offsetAt(24 * d),
      );
      if (daysOn === undefined) throw new Error(`${zone} sets no clocks.`);
      const dayBefore = localTimeOf(inHours(24 * (daysOn - 1)), zone);
      const start = instantOf({ ...dayBefore, time: "12:00" }, zone)?.at ?? new Date(0);
      const { slots } = await preview(creator, drafts, start, 1_440);
      const due = slots.map(({ due_at }) => new Date(due_at));
      expect(due.map((at) => (at.getTime() - start.getTime()) / DAY_MS)).toEqual([0, 1, 2, 3]);
      const later = await preview(creator, drafts, addMs(start, 4 * DAY_MS), 1_440);
      const shown = [...due, ...later.slots.map(({ due_at }) => new Date(due_at))].map(
        (at) => localTimeOf(at, zone).time,
      );
      expect([shown[0], new Set(shown).size]).toEqual(["12:00", 2]);
    }
  });

  test("R-SCH-01 with 10,000 pins it reads no more than its limit, and reports only what it read", async () => {
    const creator = await setup.insertCreator();
    const pattern = await setup.draft(creator);
    await multiply(creator, pattern, KNOWN_PINS_MAX + 50, "scheduled", 9);
    await multiply(creator, pattern, KNOWN_PINS_MAX + 50, "published", 12);
    const near = await setup.draft(creator, { title: "Published 3" });
    const far = await setup.draft(creator, { title: `published ${KNOWN_PINS_MAX + 20}` });
    const drafts = [near, far, ...(await draftsOf(creator, 198))];
    const seen = await preview(creator, drafts, null, 7);
    expect(seen.slots).toHaveLength(200);
    expect(seen.slots.filter(({ clash }) => clash).length).toBeGreaterThan(100);
    // Every gap is too short, and what follows the last pin that was read is unknown.
    expect(seen.free_start).toBeNull();
    expect(seen.slots[0]?.duplicate).toMatchObject({ title: "published 3", by: "title", status: "published" });
    expect(seen.slots[1]?.duplicate).toBeNull();
  });

  test("R-SCH-01 reads only the last 90 days of published pins", async () => {
    const creator = await setup.insertCreator();
    const pattern = await setup.draft(creator);
    await multiply(creator, pattern, 3_000, "published", 24 * 60);
    const since = addMs(await databaseTime(creator.ctx), -90.5 * DAY_MS);
    const find = async (tx: Ctx) => {
      expect(await findPublished(tx, { accountIds: [creator.account.id], since })).toHaveLength(90);
    };
    expect(await rowsRead(creator.ctx, "pins", find)).toBeLessThan(100);
  });
});

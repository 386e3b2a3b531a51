import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { readCalendar } from "#lib/features/calendar/calendar.ts";
import { TEXTS } from "#lib/features/calendar/constants.ts";
import { movePins } from "#lib/features/calendar/moves.ts";
import { readOverview } from "#lib/features/calendar/overview.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import { movePinsInput, readCalendarInput } from "#lib/features/calendar/schema.ts";
import { planIntoSlots, saveSlots, setAccountTimeZone, suggestAccountSlots } from "#lib/features/calendar/slots.ts";
import { TEXTS as PUBLISHING_TEXTS } from "#lib/features/publishing/constants.ts";
import { seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import { until } from "#tests/support/poll.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const at = (ms: number) => addMs(setup.job().now(), ms);
const code = (expected: string) => expect.objectContaining({ code: expected });

type Move = { post_id: string; from: Date | null; to: Date | null };
const move = (creator: Creator, moves: Move[], more: object = {}) =>
  movePins(
    creator.ctx,
    movePinsInput.parse({
      ...more,
      moves: moves.map(({ from, to, ...one }) => ({
        ...one,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
      })),
    }),
  );

const read = (creator: Creator, from: Date, to: Date, accountId: string = creator.account.id) =>
  readCalendar(creator.ctx, readCalendarInput.parse({ accountId, from: from.toISOString(), to: to.toISOString() }));

/** Drafts that are scheduled an hour apart from `inMs` on. */
const scheduledAt = async (creator: Creator, count: number, inMs: number): Promise<{ id: PinId; time: Date }[]> => {
  const made = [];
  for (let index = 0; index < count; index += 1) {
    made.push({ id: await setup.draft(creator, { title: `Pin ${index}` }), time: at(inMs + index * HOUR_MS) });
  }
  await move(
    creator,
    made.map(({ id, time }) => ({ post_id: id, from: null, to: time })),
  );
  return made;
};

describe("reading the calendar", () => {
  test("shows what is scheduled, published and failed in the range, by time, with stored metrics", async () => {
    const creator = await setup.insertCreator();
    const out = await setup.scheduled(creator);
    await setup.drive(out);
    const failed = await setup.scheduled(creator);
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, scenario: "board-gone", where });
    await setup.drive(failed);
    await setup.draft(creator);
    const [soon, later] = await scheduledAt(creator, 2, 2 * HOUR_MS);
    await creator.ctx.db.insert(pinMetrics).values({
      ...{ pinId: out.pinId, accountId: creator.account.id, state: "ready", firstDay: "2026-11-20" },
      ...{ readyThrough: "2026-11-22", impressions: [10, 40, 90], outboundClicks: [0, 1, 3], fetchedAt: at(0) },
    });
    const { posts, has_more } = await read(creator, at(-DAY_MS), later?.time ?? at(0));
    expect(posts.map(({ id, status }) => [id, status])).toEqual([
      [out.pinId, "published"],
      [failed.pinId, "failed"],
      [soon?.id, "scheduled"],
    ]);
    expect([has_more, posts[0]?.impressions, posts[0]?.outbound_clicks]).toEqual([false, 90, 3]);
    expect(posts[2]).toMatchObject({ impressions: null, at: soon?.time.toISOString(), board_id: creator.boardId });
    expect(posts[0]?.image_url).toMatch(/^\/api\/images\/pins\//);
    expect(posts[2]?.image_url).toMatch(/^\/api\/images\/signed\//);
    expect((await read(creator, later?.time ?? at(0), at(DAY_MS))).posts.map(({ id }) => id)).toEqual([later?.id]);
  });

  test("refuses other users' accounts and ranges that are empty or too long", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    await expect(read(creator, at(0), at(DAY_MS), other.account.id)).rejects.toEqual(code("not_found"));
    expect(() => read(creator, at(DAY_MS), at(0))).toThrow(TEXTS.rangeInvalid);
    expect(() => read(creator, at(0), at(101 * DAY_MS))).toThrow(TEXTS.rangeInvalid);
  });
});

describe("moving pins", () => {
  test("several move together; swapping the times undoes it; each goes out once, at its last time", async () => {
    const creator = await setup.insertCreator();
    const made = await scheduledAt(creator, 3, DAY_MS);
    const forward = made.map(({ id, time }) => ({ post_id: id, from: time, to: addMs(time, DAY_MS) }));
    expect(await move(creator, forward)).toEqual({ moved: 3 });
    await expect(move(creator, forward)).rejects.toEqual(code("wrong_state"));
    await move(
      creator,
      forward.map(({ post_id, from, to }) => ({ post_id, from: to, to: from })),
    );
    for (const { id, time } of made) expect((await setup.pin(id)).scheduledAt).toEqual(time);
    await setup.moveClock(DAY_MS + 3 * HOUR_MS);
    for (const { id } of made) {
      const { scheduleGeneration } = await setup.pin(id);
      expect(scheduleGeneration).toBe(3);
      await setup.drive({ pinId: id, scheduleGeneration: 2 });
      await setup.drive({ pinId: id, scheduleGeneration });
    }
    expect(await setup.publicPins(creator)).toHaveLength(3);
  });

  test("schedules drafts and turns scheduled pins into drafts in one call", async () => {
    const creator = await setup.insertCreator();
    const [draft, [planned]] = [await setup.draft(creator), await scheduledAt(creator, 1, DAY_MS)];
    await move(creator, [
      { post_id: draft, from: null, to: at(HOUR_MS) },
      { post_id: planned?.id ?? "", from: planned?.time ?? null, to: null },
    ]);
    expect([(await setup.pin(draft)).status, (await setup.pin(planned?.id as PinId)).status]).toEqual([
      "scheduled",
      "draft",
    ]);
  });

  test("moves none when one was changed meanwhile, is another user's, or would be in the past", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const [first, second] = await scheduledAt(creator, 2, DAY_MS);
    const foreign = await setup.draft(other);
    if (!first || !second) throw new Error("There are two.");
    const good = { post_id: first.id, from: first.time, to: at(2 * DAY_MS) };
    const bad: [Move, string][] = [
      [{ post_id: second.id, from: addMs(second.time, MINUTE_MS), to: at(2 * DAY_MS) }, "wrong_state"],
      [{ post_id: second.id, from: null, to: at(2 * DAY_MS) }, "wrong_state"],
      [{ post_id: foreign, from: null, to: at(2 * DAY_MS) }, "not_found"],
      [{ post_id: second.id, from: second.time, to: at(-HOUR_MS) }, "invalid"],
      [{ post_id: second.id, from: second.time, to: at(400 * DAY_MS) }, "invalid"],
    ];
    for (const [one, expected] of bad) await expect(move(creator, [good, one])).rejects.toEqual(code(expected));
    const late = { post_id: second.id, from: second.time, to: at(-HOUR_MS) };
    const fields = { "moves.1.to": [expect.stringContaining(PUBLISHING_TEXTS.timePassed)] };
    await expect(move(creator, [good, late])).rejects.toMatchObject({ fields });
    expect((await setup.pin(first.id)).scheduledAt).toEqual(first.time);
    expect((await setup.pin(second.id)).scheduledAt).toEqual(second.time);
    expect(() => move(creator, [good, good])).toThrow(TEXTS.duplicates);
    expect(() => move(creator, [{ ...good, to: good.from }])).toThrow(TEXTS.nothingMoves);
  });

  test("a pin that is being published refuses with its reason, and is published once", async () => {
    const creator = await setup.insertCreator();
    const where = { account: creator.account.username };
    await setup.pinterest.addFault({ match: CREATE, delayMs: 1_500, where });
    const due = await setup.scheduled(creator);
    const [rest] = await scheduledAt(creator, 1, DAY_MS);
    const seen = (await setup.pin(due.pinId)).scheduledAt;
    const run = setup.drive(due);
    const isCalling = async () => (await setup.attempts(due.pinId))[0]?.calledAt ?? undefined;
    await until(isCalling, { what: "the call" });
    const both = [
      { post_id: rest?.id ?? "", from: rest?.time ?? null, to: at(2 * DAY_MS) },
      { post_id: due.pinId, from: seen, to: at(HOUR_MS) },
    ];
    await expect(move(creator, both)).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining(PUBLISHING_TEXTS.beingPublished),
    });
    expect((await setup.pin(rest?.id as PinId)).scheduledAt).toEqual(rest?.time);
    expect(await run).toMatchObject({ result: "published" });
    expect(await setup.publicPins(creator)).toHaveLength(1);
  });

  test("two moves of one pin at once: one wins", async () => {
    const creator = await setup.insertCreator();
    const [pin] = await scheduledAt(creator, 1, DAY_MS);
    if (!pin) throw new Error("There is one.");
    const to = (hours: number) => move(creator, [{ post_id: pin.id, from: pin.time, to: at(hours * HOUR_MS) }]);
    const ended = await Promise.allSettled([to(30), to(40)]);
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await setup.pin(pin.id)).scheduleGeneration).toBe(2);
  });
});

test("the overview names the next pin, what waits, what failed, and the days without pins", async () => {
  const creator = await setup.insertCreator();
  const tomorrow = () => at(DAY_MS).toISOString().slice(0, 10);
  const overview = () => readOverview(creator.ctx, { timeZone: "UTC" });
  expect(await overview()).toMatchObject({
    ...{ hasAccount: true, hasPins: false, hasSchedule: false, next: null, drafts: null, failed: null },
    gap: { accountId: creator.account.id, username: null, days: 14, firstDay: tomorrow() },
  });
  await setup.draft(creator);
  const failed = await setup.scheduled(creator);
  const where = { account: creator.account.username };
  await setup.pinterest.addFault({ match: CREATE, scenario: "board-gone", where });
  await setup.drive(failed);
  const [last] = await scheduledAt(creator, 1, 20 * DAY_MS);
  expect(await overview()).toMatchObject({ next: { at: last?.time } });
  const [first] = await scheduledAt(creator, 1, 3 * DAY_MS);
  const waiting = { pins: 1, accountId: creator.account.id };
  expect(await overview()).toMatchObject({
    ...{ hasPins: true, hasSchedule: true, drafts: waiting, failed: waiting, leading: null },
    next: { title: "Pin 0", at: first?.time, accountId: creator.account.id, timeZone: "UTC" },
    gap: { username: null, days: 13, firstDay: tomorrow() },
  });
  const { ctx, account } = creator;
  const seeded = (keyword: string, outboundClicks: number) => ({
    row: { keyword },
    daily: { impressions: 100, outboundClicks },
  });
  await seedPins(ctx, account.id, [seeded("fern", 1), seeded("moss", 10)]);
  const other = await seedAccount(ctx);
  expect(await overview()).toMatchObject({
    leading: { keyword: "moss", accountId: account.id, clickRate: 0.1 },
    gap: { accountId: other, username: "seeded", days: 14, firstDay: tomorrow() },
  });
});

describe("posting slots", () => {
  const slots = [
    { weekday: 1, minute: 540 },
    { weekday: 4, minute: 1_200 },
  ];

  test("are saved per account, and drafts take the next free ones after the user confirms", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const accountId = creator.account.id;
    const drafts = [await setup.draft(creator), await setup.draft(creator), await setup.draft(creator)];
    const plan = { accountId, pinIds: drafts, timeZone: "UTC", firstDay: null, lastDay: null, spreadDays: null };
    await expect(planIntoSlots(creator.ctx, plan)).rejects.toMatchObject({
      ...{ message: TEXTS.slotsMissing, fields: { accountId: [TEXTS.slotsMissing] } },
    });
    expect(await saveSlots(creator.ctx, { accountId, slots })).toEqual(slots);
    await expect(saveSlots(other.ctx, { accountId, slots: [] })).rejects.toEqual(code("not_found"));
    const planned = await planIntoSlots(creator.ctx, plan);
    expect(planned.map(({ post_id }) => post_id)).toEqual(drafts);
    expect((await setup.pin(drafts[0] as PinId)).status).toBe("draft");
    await move(
      creator,
      planned.map(({ post_id, at: time }) => ({ post_id, from: null, to: new Date(time) })),
    );
    const more = [await setup.draft(creator)];
    const [next] = await planIntoSlots(creator.ctx, { ...plan, pinIds: more });
    expect(planned.map(({ at: time }) => time)).not.toContain(next?.at);
    expect(new Date(next?.at ?? 0) > new Date(planned.at(-1)?.at ?? 0)).toBe(true);
  });

  test("of two fills of the same slot at once, one is refused; the next slot is free", async () => {
    const creator = await setup.insertCreator();
    const drafts = await Promise.all([1, 2, 3].map((n) => setup.draft(creator, { title: `Fill ${n}` })));
    const fill = (id: PinId | undefined, inMs: number) =>
      move(creator, [{ post_id: id ?? "", from: null, to: at(inMs) }], { into_free_slots: true });
    const both = await Promise.allSettled([fill(drafts[0], 2 * DAY_MS), fill(drafts[1], 2 * DAY_MS + MINUTE_MS)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refusal = expect.objectContaining({ message: expect.stringContaining(TEXTS.slotTaken) });
    expect(both).toContainEqual(expect.objectContaining({ reason: refusal }));
    await fill(drafts[2], 2 * DAY_MS + 10 * MINUTE_MS);
    const found = await Promise.all(drafts.map(async (id) => (await setup.pin(id)).status));
    expect(found.toSorted()).toEqual(["draft", "scheduled", "scheduled"]);
  });

  test("within chosen days, the pins that fit get slots; days that can't be used are refused in words", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    const daily = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, minute: 720 }));
    await saveSlots(creator.ctx, { accountId, slots: daily });
    const today = at(0).toISOString().slice(0, 10);
    const day = (days: number) => addDays(today, days);
    const drafts = [await setup.draft(creator), await setup.draft(creator), await setup.draft(creator)];
    const plan = (pinIds: string[], from: number, to: number | null) =>
      planIntoSlots(creator.ctx, {
        ...{
          accountId,
          pinIds,
          timeZone: "UTC",
          firstDay: day(from),
          lastDay: to === null ? null : day(to),
          spreadDays: null,
        },
      });
    const planned = await plan(drafts, 70, 71);
    expect(planned.map((one) => [one.post_id, one.at])).toEqual([
      [drafts[0], `${day(70)}T12:00:00.000Z`],
      [drafts[1], `${day(71)}T12:00:00.000Z`],
    ]);
    await move(
      creator,
      planned.map(({ post_id, at: time }) => ({ post_id, from: null, to: new Date(time) })),
    );
    const last = drafts.slice(2);
    const refused = (text: string, field = "lastDay") =>
      expect.objectContaining({ code: "invalid", message: text, fields: { [field]: [text] } });
    await expect(plan(last, 70, 71)).rejects.toEqual(refused(TEXTS.noFreeSlotsThen));
    await expect(plan(last, -9, -2)).rejects.toEqual(refused(TEXTS.daysPassed));
    await expect(plan(last, 9, 2)).rejects.toEqual(refused(TEXTS.endBeforeStart));
    await expect(plan(last, 0, 367)).rejects.toEqual(refused(TEXTS.daysTooFar));
    await expect(plan(last, 367, null)).rejects.toEqual(refused(TEXTS.daysTooFar, "firstDay"));
    await expect(plan(last, 366 - 1, null)).resolves.toHaveLength(1);
    await expect(plan(drafts, 366 - 1, null)).rejects.toEqual(refused(TEXTS.noFreeSlots, "pinIds"));
    expect(await plan(last, -9, 366 - 1)).toHaveLength(1);
  });

  test("follow the account's own time zone, which a user may set and remove", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    await saveSlots(creator.ctx, { accountId, slots });
    const plan = {
      accountId,
      pinIds: [await setup.draft(creator)],
      timeZone: "UTC",
      firstDay: null,
      lastDay: null,
      spreadDays: null,
    };
    const inUtc = await planIntoSlots(creator.ctx, plan);
    await setAccountTimeZone(creator.ctx, { accountId, timeZone: "Asia/Kathmandu" });
    const inKathmandu = await planIntoSlots(creator.ctx, plan);
    const shift = new Date(inUtc[0]?.at ?? 0).getTime() - new Date(inKathmandu[0]?.at ?? 0).getTime();
    expect(Math.abs(shift % (7 * DAY_MS))).not.toBe(0);
    expect(new Date(inKathmandu[0]?.at ?? 0).toISOString()).toMatch(/T(03:15|14:15)/);
    await setAccountTimeZone(creator.ctx, { accountId, timeZone: null });
    expect(await planIntoSlots(creator.ctx, plan)).toEqual(inUtc);
  });

  test("suggestions come from results that are more than luck, else from the default", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    const input = { accountId, timeZone: "UTC" };
    expect(await suggestAccountSlots(creator.ctx, input)).toMatchObject({ isFromResults: false });
    const rows = await Promise.all(Array.from({ length: 4 }, () => setup.draft(creator)));
    const { db } = creator.ctx;
    for (const [index, pinId] of rows.entries()) {
      const hour = index === 0 ? 6 : 15;
      const publishedAt = new Date(
        `${at(-10 * DAY_MS)
          .toISOString()
          .slice(0, 10)}T${String(hour).padStart(2, "0")}:30:00.000Z`,
      );
      await db
        .update(pins)
        .set({ status: "published", publishedAt, pinterestPinId: `9${index}${pinId}` })
        .where(and(eq(pins.id, pinId)));
      const clicks = index === 0 ? 400 : 20;
      await db.insert(pinMetrics).values({
        ...{ pinId, accountId, state: "ready", fetchedAt: at(0), pinClicks: [clicks], saves: [0] },
        ...{
          firstDay: at(-10 * DAY_MS)
            .toISOString()
            .slice(0, 10),
          readyThrough: at(-10 * DAY_MS)
            .toISOString()
            .slice(0, 10),
        },
        ...{ impressions: [5_000], outboundClicks: [clicks] },
      });
    }
    const { slots: own, isFromResults } = await suggestAccountSlots(creator.ctx, input);
    expect([isFromResults, own.filter(({ minute }) => minute === 360).length]).toEqual([true, 7]);
  });
});

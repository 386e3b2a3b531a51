import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { accountPaces, planOverrides } from "#db/schema/planning.ts";
import { databaseTime } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { movePins } from "#lib/features/calendar/moves.ts";
import { duplicatePins } from "#lib/features/pins/drafts.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import { readPaces, savePace } from "#lib/features/planning/paces.ts";
import { applyPlan, checkTimes, previewWithPace, proposePlan, readPlanNotes } from "#lib/features/planning/plans.ts";
import { applyPlanInput, type PlanWire, proposePlanInput, savePaceInput } from "#lib/features/planning/schema.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { previewSchedule } from "#lib/features/publishing/schedule-preview.ts";
import { reschedulePin } from "#lib/features/publishing/scheduling.ts";
import { pinFixtures } from "./pins-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { otherBoards } = pinFixtures(setup);

const OPEN = { ...PRESETS.brisk, gapMinutes: 60, warmUpDays: 0, warmUpPins: 0, jitterMinutes: 0 };

/** An account that is warmed up and has no quiet hours. */
const openCreator = async (): Promise<Creator> => {
  const creator = await setup.insertCreator();
  await savePace(creator.ctx, { accountId: creator.account.id, numbers: OPEN });
  return creator;
};

const draftsOf = (creator: Creator, links: (string | null)[]): Promise<PinId[]> =>
  Promise.all(links.map((link, n) => setup.draft(creator, { title: `Pin ${n} of ${creator.userId}`, link })));

const propose = ({ ctx }: Creator, pinIds: string[], more: object = {}): Promise<PlanWire> =>
  proposePlan(ctx, proposePlanInput.parse({ post_ids: pinIds, left_out: [], chosen: [], ...more }));

const apply = ({ ctx }: Creator, made: PlanWire, left_out: { rule: string; reason: string }[] = []) =>
  applyPlan(
    ctx,
    applyPlanInput.parse({
      planned_at: made.planned_at,
      slots: made.slots.map(({ post_id, due_at }) => ({ post_id, due_at })),
      left_out,
    }),
  );

const textOf = async (chunks: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
};

const code = (expected: string) => expect.objectContaining({ code: expected });

test("a plan is applied with exactly the times it showed, and nothing before", async () => {
  const creator = await openCreator();
  const ids = await draftsOf(creator, ["https://a.example/1", "https://a.example/1", null]);
  const made = await propose(creator, ids);
  expect(made.slots.map(({ post_id }) => post_id)).toEqual(ids);
  expect(made.slots[1]?.moves).toMatchObject([{ rule: "link", limit: 3, other: expect.stringMatching(/^Pin 0/) }]);
  for (const id of ids) expect(await setup.pin(id)).toMatchObject({ status: "draft" });
  const { last_publish } = await apply(creator, made);
  const scheduled = await Promise.all(ids.map((id) => setup.pin(id)));
  expect(scheduled.map((pin) => [pin.status, pin.scheduledAt?.toISOString()])).toEqual(
    made.slots.map(({ due_at }) => ["scheduled", due_at]),
  );
  expect(last_publish).toBe(made.slots[1]?.due_at);
  await expect(apply(creator, made)).rejects.toEqual(code("wrong_state"));
});

test("a plan beyond the life of the account's connection says when that ends", async () => {
  const creator = await openCreator();
  const [pin = ""] = await draftsOf(creator, [null]);
  const days = (count: number) => new Date(setup.harness.now().getTime() + count * DAY_MS).toISOString();
  const { db } = setup.job();
  await db.update(pinterestAccounts).set({ refreshExpiresAt: new Date(days(30)) });
  expect((await propose(creator, [pin], { start: days(29) })).renewal_due).toBeNull();
  const [account] = await db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, creator.account.id));
  const late = await propose(creator, [pin], { start: days(31) });
  expect(late.renewal_due).toBe(account?.refreshExpiresAt?.toISOString());
});

test("the account's own pins and pace decide: days and quiet hours in the user's time zone, warm-up from its connection", async () => {
  const creator = await setup.insertCreator();
  const db = setup.job().db;
  await db.update(users).set({ timeZone: "Asia/Kathmandu" }).where(eq(users.id, creator.userId));
  const ids = await draftsOf(creator, [null, null, null, null]);
  const fresh = await propose(creator, ids);
  expect(fresh).toMatchObject({ preset: "steady", time_zone: "Asia/Kathmandu" });
  const hours = fresh.slots.map(({ due_at }) =>
    Number(localTimeOf(new Date(due_at), "Asia/Kathmandu").time.slice(0, 2)),
  );
  expect(hours.every((hour) => hour >= 6 && hour < 23)).toBe(true);
  const daysOf = ({ slots }: PlanWire) =>
    Math.ceil((Date.parse(slots.at(-1)?.due_at ?? "") - Date.parse(slots[0]?.due_at ?? "")) / DAY_MS);
  expect(daysOf(fresh)).toBeGreaterThanOrEqual(2);
  const connectedAt = addMs(setup.job().now(), -60 * DAY_MS);
  await db.update(pinterestAccounts).set({ connectedAt }).where(eq(pinterestAccounts.id, creator.account.id));
  await savePace(creator.ctx, { accountId: creator.account.id, numbers: { ...PRESETS.steady, warmUpPins: 0 } });
  expect(daysOf(await propose(creator, ids))).toBe(1);
});

test("a rule is left out with a reason that the pin keeps when it moves or its unscheduling is undone, also in the export", async () => {
  const creator = await openCreator();
  const link = "https://a.example/sale";
  const ids = await draftsOf(creator, [link, link]);
  const made = await propose(creator, ids, { left_out: ["link"] });
  expect(made.slots[1]?.moves).toEqual([]);
  const reason = "One sale, two pins";
  await apply(creator, made, [{ rule: "link", reason: ` ${reason} ` }]);
  expect(await readPlanNotes(creator.ctx, { pinId: ids[1] ?? "" })).toEqual([{ rule: "link", reason }]);
  const { scheduledAt } = await setup.pin(ids[1] as PinId);
  const later = addMs(scheduledAt ?? new Date(), DAY_MS);
  const move = (from: Date | null, to: Date | null, isUndo = false) =>
    movePins(creator.ctx, { moves: [{ pinId: ids[1] ?? "", from, to }], isUndo, requiresFreeSlots: false });
  await move(scheduledAt, later);
  await reschedulePin(creator.ctx, { pinId: ids[1] ?? "", at: addMs(later, DAY_MS) });
  expect(await readPlanNotes(creator.ctx, { pinId: ids[1] ?? "" })).toEqual([{ rule: "link", reason }]);
  const last = addMs(later, DAY_MS);
  await move(last, null);
  await move(null, last, true);
  expect(await readPlanNotes(creator.ctx, { pinId: ids[1] ?? "" })).toEqual([{ rule: "link", reason }]);
  const stranger = await setup.insertCreator();
  await expect(readPlanNotes(stranger.ctx, { pinId: ids[1] ?? "" })).rejects.toEqual(code("not_found"));
  const exported = JSON.parse(await textOf(await exportData(creator.ctx)));
  expect(exported).toMatchObject({ paces: [{ numbers: OPEN }], plan_overrides: [{ rule_left_out: "link", reason }] });
  await move(last, null);
  await move(null, last);
  expect(await readPlanNotes(creator.ctx, { pinId: ids[1] ?? "" })).toEqual([]);
  await setup.job().db.delete(planOverrides);
  await setup.job().db.delete(accountPaces);
});

test("overdue pins count when they are expected to go out, not when they were planned", async () => {
  const creator = await openCreator();
  const [late = "", draft = ""] = await draftsOf(creator, [null, null]);
  await setup.schedule(creator, [late as PinId]);
  const planned = addMs(setup.harness.now(), -4 * DAY_MS);
  await setup.job().db.update(pins).set({ scheduledAt: planned, wakeAt: null }).where(eq(pins.id, late));
  const made = await propose(creator, [draft]);
  const afterMs = Date.parse(made.slots[0]?.due_at ?? "") - Date.parse(made.planned_at);
  expect(afterMs).toBeGreaterThanOrEqual(OPEN.gapMinutes * MINUTE_MS);
  expect(made.slots[0]?.moves).toMatchObject([{ rule: "gap", other: expect.stringMatching(/^Pin 0/) }]);
});

test("chosen times stay, and say which rule they break", async () => {
  const creator = await openCreator();
  const ids = await draftsOf(creator, [null, null]);
  const [first] = (await propose(creator, ids)).slots;
  const due_at = addMs(new Date(first?.due_at ?? ""), 5 * MINUTE_MS).toISOString();
  const made = await propose(creator, ids, { start: first?.due_at, chosen: [{ post_id: ids[1], due_at }] });
  expect(made.slots[1]).toMatchObject({ due_at, breaches: [] });
  expect(Date.parse(made.slots[0]?.due_at ?? "")).toBe(Date.parse(due_at) + HOUR_MS);
  const both = [ids[0], ids[1]].map((post_id, n) => ({ post_id, due_at: addMs(new Date(due_at), n * MINUTE_MS) }));
  const close = await propose(creator, ids, {
    chosen: both.map((one) => ({ ...one, due_at: one.due_at.toISOString() })),
  });
  expect(close.slots[1]?.breaches).toMatchObject([{ rule: "gap", limit: 60 }]);
});

test("a plan is refused when other pins were scheduled since, whatever comes first", async () => {
  const creator = await openCreator();
  const [one, other] = [await draftsOf(creator, [null, null]), await draftsOf(creator, [null])];
  const [first, second] = [await propose(creator, one), await propose(creator, other)];
  const ended = await Promise.allSettled([apply(creator, first), apply(creator, second)]);
  expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const statuses = await Promise.all([...one, ...other].map(async (id) => (await setup.pin(id)).status));
  expect([
    ["scheduled", "scheduled", "draft"],
    ["draft", "draft", "scheduled"],
  ]).toContainEqual(statuses);
});

test("pins of others, of two accounts, and pins that are no drafts are refused, and nothing changes", async () => {
  const [creator, stranger] = [await openCreator(), await openCreator()];
  const [own] = (await draftsOf(creator, [null])) as [PinId];
  const [foreign] = (await draftsOf(stranger, [null])) as [PinId];
  await expect(propose(creator, [own, foreign])).rejects.toEqual(code("not_found"));
  const made = await propose(creator, [own]);
  const mixed = {
    ...made,
    slots: [...made.slots, { post_id: foreign, due_at: made.planned_at, moves: [], breaches: [] }],
  };
  await expect(apply(creator, mixed)).rejects.toEqual(code("not_found"));
  expect(await setup.pin(own)).toMatchObject({ status: "draft" });
  await expect(savePace(creator.ctx, { accountId: stranger.account.id, numbers: OPEN })).rejects.toEqual(
    code("not_found"),
  );
});

test("the fixed interval keeps its times, and warnings say where it is too fast", async () => {
  const creator = await openCreator();
  const pinIds = await draftsOf(creator, ["https://a.example/", "https://a.example", null]);
  const start = addMs(await databaseTime(setup.job()), HOUR_MS);
  const input = { pinIds, intervalMinutes: 30, start };
  const { pace, ...preview } = await previewWithPace(creator.ctx, input);
  expect(preview).toEqual(await previewSchedule(creator.ctx, input));
  expect(pace.map(({ post_id, breaches }) => [post_id, breaches.map(({ rule }) => rule)])).toEqual([
    [pinIds[1], ["gap", "link"]],
    [pinIds[2], ["gap"]],
  ]);
});

test("times of drafts and scheduled pins are checked as if the pins had already moved, and nothing changes", async () => {
  const creator = await openCreator();
  const [near = "", moved = "", draft = ""] = await draftsOf(creator, [null, null, null]);
  await setup.schedule(creator, [near, moved] as PinId[]);
  const at = (await setup.pin(near as PinId)).scheduledAt ?? new Date();
  const check = (times: Record<string, Date>) => checkTimes(creator.ctx, new Map(Object.entries(times)));
  const rulesOf = async (times: Record<string, Date>) =>
    (await check(times)).map(({ post_id, breaches }) => [post_id, breaches.map(({ rule }) => rule)]);
  expect(await rulesOf({ [moved]: addMs(at, 3 * HOUR_MS) })).toEqual([]);
  expect(await rulesOf({ [moved]: addMs(at, 10 * MINUTE_MS) })).toEqual([[moved, ["gap"]]]);
  expect(await rulesOf({ [near]: addMs(at, DAY_MS), [draft]: addMs(at, DAY_MS + MINUTE_MS) })).toEqual([
    [draft, ["gap"]],
  ]);
  expect((await setup.pin(moved as PinId)).status).toBe("scheduled");
  expect((await setup.pin(draft as PinId)).status).toBe("draft");
  const other = await openCreator();
  await expect(checkTimes(other.ctx, new Map([[draft, at]]))).rejects.toEqual(code("not_found"));
});

test("copies on other boards are planned apart from each other and their original; a fixed interval warns", async () => {
  const creator = await openCreator();
  const boardIds = [...(await otherBoards(creator))];
  const start = await databaseTime(setup.job());
  for (const [link, rules, days] of [
    ["https://copies.example/", ["gap", "link", "similar"], OPEN.similarDays],
    [null, ["gap", "similar"], OPEN.similarDays],
  ] as const) {
    const original = await setup.draft(creator, { link });
    await setup.schedule(creator, [original]);
    const { ids: pinIds } = await duplicatePins(creator.ctx, { pinIds: [original], boardIds });
    const { pace } = await previewWithPace(creator.ctx, { pinIds, intervalMinutes: 30, start });
    const found = pace.map(({ breaches }) => breaches.map(({ rule }) => rule));
    expect(found).toEqual(pinIds.map(() => expect.arrayContaining([...rules])));
    const { slots } = await propose(creator, pinIds);
    const times = [start, ...slots.map(({ due_at }) => new Date(due_at))].map((at) => at.getTime());
    for (const [n, time] of times.slice(1).entries()) {
      expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(days * DAY_MS - MINUTE_MS);
    }
  }
});

test("numbers are checked by field, and an account's pace is read back", async () => {
  const creator = await setup.insertCreator();
  const accountId = creator.account.id;
  const problemsOf = (numbers: object) =>
    savePaceInput
      .safeParse({ accountId, numbers: { ...PRESETS.steady, ...numbers } })
      .error?.issues.map(({ path }) => path);
  expect(problemsOf({ gapMinutes: 0 })).toEqual([["numbers", "gapMinutes"]]);
  expect(problemsOf({ warmUpStart: 50 })).toEqual([["numbers", "warmUpStart"]]);
  expect(problemsOf({ quietFrom: "08:00", quietTo: "07:00" })).toEqual([["numbers", "quietTo"]]);
  expect(problemsOf({ quietFrom: "8 PM" })).toEqual([["numbers", "quietFrom"]]);
  await savePace(creator.ctx, { accountId, numbers: PRESETS.gentle });
  expect(await readPaces(creator.ctx)).toMatchObject([{ account_id: accountId, preset: "gentle", time_zone: "UTC" }]);
});

import { setTimeout as delay } from "node:timers/promises";
import { inArray, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { PINS_PER_CALL } from "#lib/features/analytics/constants.ts";
import { readGroup } from "#lib/features/analytics/pinterest-calls.ts";
import { dayOf, firstAvailableDay, shiftDay } from "#lib/features/analytics/policy.ts";
import { requestSlot } from "#lib/features/generation/image-slots.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { dispatchTasks } from "#lib/features/generation/task-queue.ts";
import { HOST_CHECKS_MAX, HOST_WINDOW_MS } from "#lib/features/links/constants.ts";
import { nextRequestMs } from "#lib/features/links/policy.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import type { DaySpan, PinterestDay, PinterestPinMetrics } from "#lib/integrations/pinterest/port.ts";
import { seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import { insertLedgerUser } from "#tests/support/ledger-user.ts";
import { median, percentile } from "../harness/statistics.ts";
import { dispatchBefore, purgeImagesBefore } from "./before.ts";
import { insertFinishedGroups, insertOrphans } from "./seed.ts";

/** One measured quantity, by the earlier code (null: not measured) and by today's. */
export interface Measured {
  what: string;
  unit: string;
  before: number | null;
  now: number;
}

const analyze = (ctx: FullCtx) => ctx.db.execute(sql`vacuum analyze`);

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
};

/** A slot becomes free, as when an image is stored. */
const endOneTask = ({ db }: FullCtx) =>
  db.execute(sql`update generation_tasks set finished_at = now(), status = 'FAILURE' where id = (
    select id from generation_tasks where called_at is not null and finished_at is null order by called_at, id limit 1)`);

/** A dispatch after each finished image. The earlier statement and today's take turns in blocks of `calls`. */
export const measureDispatch = async (ctx: FullCtx, users: number, calls: number): Promise<Measured[]> => {
  await dispatchTasks(ctx);
  const times: Record<"before" | "now", number[]> = { before: [], now: [] };
  for (let block = 0; block < 6; block += 1) {
    const name = block % 2 === 0 ? "now" : "before";
    const dispatch = name === "now" ? dispatchTasks : dispatchBefore;
    await analyze(ctx);
    for (let call = 0; call < calls; call += 1) {
      await endOneTask(ctx);
      let started: string[] = [];
      times[name].push(
        await timeOf(async () => {
          started = await dispatch(ctx);
        }),
      );
      if (started.length !== 1) throw new Error(`${started.length} tasks were dispatched for one that ended.`);
    }
  }
  return [50, 99].map((percent) => ({
    what: `dispatch after an image, ${users} users with waiting tasks, p${percent}`,
    unit: "ms",
    before: percentile(times.before, percent),
    now: percentile(times.now, percent),
  }));
};

/** A storage whose deletions take two milliseconds each, like a bucket nearby. */
const slowStorage = (ctx: FullCtx): FullCtx["storage"] => ({ ...ctx.storage, delete: () => delay(2) });

/** Run without the new indexes. */
const withoutIndexes = async <R>(ctx: FullCtx, names: readonly string[], work: () => Promise<R>): Promise<R> => {
  const rows = await ctx.db.execute<{ indexdef: string }>(
    sql`select indexdef from pg_indexes where ${isAnyOf(sql`indexname`, names)}`,
  );
  if (rows.length !== names.length) throw new Error("An index is missing.");
  for (const name of names) await ctx.db.execute(sql`drop index ${sql.identifier(name)}`);
  try {
    return await work();
  } finally {
    for (const { indexdef } of rows) await ctx.db.execute(sql.raw(indexdef));
  }
};

interface ImageSizes {
  images: number;
  imagesBefore: number;
}

export const measureImages = async (base: FullCtx, { images, imagesBefore }: ImageSizes): Promise<Measured[]> => {
  const ctx = { ...base, storage: slowStorage(base) };
  await insertOrphans(ctx, "before", imagesBefore);
  await analyze(ctx);
  const beforeMs = await withoutIndexes(ctx, ["pins_image", "generation_tasks_image"], () =>
    timeOf(() => purgeImagesBefore(ctx, imagesBefore)),
  );
  await insertOrphans(ctx, "now", images);
  await analyze(ctx);
  let purged = 0;
  const nowMs = await timeOf(async () => {
    purged = await purgeImages(ctx, Number.POSITIVE_INFINITY);
  });
  if (purged !== images) throw new Error(`${purged} of ${images} images were deleted.`);
  return [
    {
      what: "images deleted a second, 2 ms a file",
      unit: "images/s",
      before: (imagesBefore / beforeMs) * 1_000,
      now: (images / nowMs) * 1_000,
    },
  ];
};

/** Without and with the index on the time of the end. */
export const measureGroups = async (ctx: FullCtx, users: number, groups: number): Promise<Measured[]> => {
  const indexes = ["generation_groups_finished"];
  const run = async () => {
    const deleted = await RETENTION_RULES.groups(ctx, Number.POSITIVE_INFINITY);
    if (deleted !== groups) throw new Error(`${deleted} of ${groups} groups were deleted.`);
  };
  await insertFinishedGroups(ctx, { prefix: "due_a", groups, users, days: 100 });
  await analyze(ctx);
  const beforeMs = await withoutIndexes(ctx, indexes, () => timeOf(run));
  await insertFinishedGroups(ctx, { prefix: "due_b", groups, users, days: 100 });
  await analyze(ctx);
  const nowMs = await timeOf(run);
  const perSecond = (ms: number) => (groups / ms) * 1_000;
  const what = "finished groups of ten tasks deleted a second";
  return [{ what, unit: "groups/s", before: perSecond(beforeMs), now: perSecond(nowMs) }];
};

/** Reads pins by id: a list of parameters as before, and one array. */
export const measureLists = async ({ db }: FullCtx, pinCount: number, calls: number): Promise<Measured[]> => {
  const all: Measured[] = [];
  for (const length of [20, 100, 1_000]) {
    const idsAt = (call: number) =>
      Array.from({ length }, (_, n) => `pin_${1 + ((call * 7_919 + n * 101) % pinCount)}`);
    const read = (where: ReturnType<typeof isAnyOf>) => db.select({ id: pins.id }).from(pins).where(where);
    const times: Record<"before" | "now", number[]> = { before: [], now: [] };
    for (let call = 0; call < calls; call += 1) {
      const ids = idsAt(call);
      times.before.push(await timeOf(() => read(inArray(pins.id, ids))));
      times.now.push(await timeOf(() => read(isAnyOf(pins.id, ids))));
    }
    const [before, now] = [median(times.before), median(times.now)];
    all.push({ what: `pins by ${length} ids, p50`, unit: "ms", before, now });
  }
  return all;
};

/** Final days with metrics, as Pinterest answers them, without a network. */
const instantPinterest = (ctx: FullCtx): FullCtx["pinterest"] => ({
  ...ctx.pinterest,
  readPinsAnalytics: async (_token, ids, span) => {
    const days = daysOf(span);
    return { kind: "ok", value: new Map(ids.map((id) => [id, days])), callsLeft: null };
  },
  readPinAnalytics: async (_token, _id, span) => ({ kind: "ok", value: daysOf(span), callsLeft: null }),
});

const daysOf = ({ firstDay, lastDay }: DaySpan): PinterestDay<PinterestPinMetrics>[] => {
  const metrics = { impressions: 120, pinClicks: 4, outboundClicks: 2, saves: 1 };
  const days: PinterestDay<PinterestPinMetrics>[] = [];
  for (let date = firstDay; date <= lastDay; date = shiftDay(date, 1)) days.push({ date, status: "ready", metrics });
  return days;
};

/** Our own work for a metrics call, whatever Pinterest takes. */
export const measureMetrics = async (harness: TestHarness, calls: number): Promise<Measured[]> => {
  const job = contextOf(harness, { kind: "job", name: "bench" });
  const { userId } = await insertLedgerUser(job);
  const user = contextOf(harness, { kind: "user", userId, loginId: job.newId("login"), address: "127.0.0.1" });
  const accountId = await seedAccount(user);
  const later = addMs(user.now(), DAY_MS);
  await user.db
    .update(pinterestAccounts)
    .set({
      accessTokenSealed: user.sealer.seal("token"),
      refreshTokenSealed: user.sealer.seal("token"),
      accessExpiresAt: later,
      refreshExpiresAt: later,
    })
    .where(sql`id = ${accountId}`);
  const ids = await seedPins(
    user,
    accountId,
    Array.from({ length: calls * (PINS_PER_CALL + 1) }, () => ({ daily: null })),
  );
  const ctx = { ...job, pinterest: instantPinterest(job) };
  const span = { firstDay: firstAvailableDay(ctx.now()), lastDay: shiftDay(dayOf(ctx.now()), -1) };
  // A pin that was just read isn't due again, so each call has pins of its own.
  const measure = async (own: readonly string[], pinsEach: number) => {
    const cpu = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) {
      await ctx.db.execute(sql`update analytics_syncs set window_calls = 0`);
      const pinIds = own.slice(call * pinsEach, (call + 1) * pinsEach) as never[];
      const end = await readGroup(ctx, { accountId, pinIds, span, since: later });
      const stored = end.kind === "read" ? end.stored : 0;
      if (stored !== pinsEach)
        throw new Error(`A call for ${pinsEach} pins ended with ${end.kind} and stored ${stored}.`);
    }
    const used = process.cpuUsage(cpu);
    return (used.user + used.system) / 1_000 / calls;
  };
  const single = await measure(ids.slice(0, calls), 1);
  const bulk = await measure(ids.slice(calls), PINS_PER_CALL);
  return [
    { what: "metrics of one pin, CPU of our process", unit: "ms", before: null, now: single },
    { what: `metrics of ${PINS_PER_CALL} pins in bulk, CPU of our process`, unit: "ms", before: null, now: bulk },
  ];
};

/** How many steps the runs of `checks` links of one site took when they polled every 20 s, up to 30 times. */
const polledSteps = (checks: number): number => {
  let steps = 0;
  for (let check = 0; check < checks; check += 1) {
    const waits = Math.floor(check / HOST_CHECKS_MAX) * (HOST_WINDOW_MS / 20_000);
    steps += waits + 1;
  }
  return steps;
};

const reservedSteps = (checks: number): number => {
  const times: number[] = [];
  for (let check = 0; check < checks; check += 1) times.push(nextRequestMs(times.slice(-HOST_CHECKS_MAX), 0));
  return times.reduce((steps, at) => steps + (at > 0 ? 2 : 1), 0);
};

/** What each waiting call does every two seconds, one at a time over all processes (decision 8). */
export const measureSlots = async (ctx: FullCtx, slots: number, calls: number): Promise<Measured[]> => {
  await ctx.db.execute(sql`insert into image_slots
    (reference, user_id, waiter, requested_at, present_until, leased_until, is_generating)
    select 'slot_' || n, 'bench_' || (1 + n % 50), 'w' || n, now(), now() + interval '1 hour',
      case when n <= ${slots}::int then now() + interval '1 hour' end, n <= ${slots}::int
    from generate_series(1, ${2 * slots}::int) as n`);
  await analyze(ctx);
  const request = { reference: "slot_mine", userId: "bench_1" as never, requestedAt: ctx.now(), waiter: "mine" };
  const settings = { ...ctx.settings, imageConcurrency: slots };
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    times.push(await timeOf(() => requestSlot({ ...ctx, settings }, request)));
  }
  await ctx.db.execute(sql`delete from image_slots`);
  const what = `asking for an image slot, ${slots} taken and ${slots} waiting, p50`;
  return [{ what, unit: "ms", before: null, now: median(times) }];
};

/** By simulation: each wait also takes a sleep of the engine. */
export const countLinkSteps = (checks: number): Measured[] => [
  {
    what: `steps to check ${checks} links of one site (by simulation)`,
    unit: "steps",
    before: polledSteps(checks),
    now: reservedSteps(checks),
  },
];

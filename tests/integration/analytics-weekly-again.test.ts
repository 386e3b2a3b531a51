import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { analyticsSyncs, weeklyEmails } from "#db/schema/analytics.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { requestWeeklySyncs, sendWeeklyEmails } from "#lib/features/analytics/weekly.ts";
import { seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import type { Publisher } from "./analytics-harness.ts";
import { seen, weeklyHarness } from "./weekly-harness.ts";

const { harness, job, setClock, emailsOf, recipient } = weeklyHarness();

const at = (time: string) => setClock(`2026-11-23T${time}:00Z`);

const countRequests = (accountId: string): number =>
  harness().sentEvents.filter(
    (event) => event.name === "analytics/sync.requested" && event.data.accountId === accountId,
  ).length;

/** Ends the account's sync; with a `problemText` it ends as failed. */
const endRun = (accountId: string, problemText: string | null = null, by: "failing" | "refused" = "failing") =>
  job()
    .db.update(analyticsSyncs)
    .set({ wakeAt: null, finishedAt: job().now(), problemText, heldBy: problemText === null ? null : by })
    .where(eq(analyticsSyncs.accountId, accountId));

const send = async () => (await sendWeeklyEmails(job())).sent;
const retrySyncs = async () => (await requestWeeklySyncs(job())).retried;
const marks = () =>
  job().db.select({ requestedWeek: weeklyEmails.requestedWeek, sentWeek: weeklyEmails.sentWeek }).from(weeklyEmails);

/** A user without metrics whose 5 AM sync failed. */
const userWithFailedSync = async (): Promise<Publisher> => {
  const own = await recipient([{ daily: null }]);
  await at("05:00");
  expect(await requestWeeklySyncs(job())).toEqual({ requested: 1, retried: 0 });
  await at("05:08");
  await endRun(own.accountId, "Pinterest is not answering.");
  return own;
};

test("A-83 an outage at 5 AM does not cost the email: the sync is retried with each run", async () => {
  const own = await userWithFailedSync();
  await at("05:15");
  expect([await retrySyncs(), countRequests(own.accountId)]).toEqual([1, 2]);
  // No other sync starts while that one is active.
  await at("05:30");
  expect([await retrySyncs(), countRequests(own.accountId)]).toEqual([0, 2]);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("08:00");
  expect([await send(), await retrySyncs()]).toEqual([0, 1]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await job().db.execute("delete from pins where id not in (select pin_id from pin_metrics)");
  await endRun(own.accountId);
  await at("08:15");
  expect([await retrySyncs(), await send()]).toEqual([0, 1]);
  expect((await emailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 1 });
});

test("A-83 a run on hold with part of the metrics is retried, and the email waits until noon", async () => {
  const own = await userWithFailedSync();
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("11:45");
  expect([await send(), await retrySyncs()]).toEqual([0, 1]);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("12:00");
  expect([await retrySyncs(), await send()]).toEqual([0, 1]);
  expect((await emailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 2 });
});

test("A-83 metrics that arrive after noon are sent then; without any the week stays open", async () => {
  const own = await userWithFailedSync();
  for (const time of ["12:00", "12:15"]) {
    await at(time);
    expect([await send(), await retrySyncs()]).toEqual([0, 0]);
  }
  expect(await marks()).toEqual([{ requestedWeek: "2026-11-23", sentWeek: null }]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("12:30");
  expect([await send(), await send()]).toEqual([1, 0]);
});

test("A-83 a Monday without runs is made up for on Tuesday, with that morning's metrics", async () => {
  const own = await userWithFailedSync();
  await setClock("2026-11-24T04:59:00Z");
  expect([await retrySyncs(), countRequests(own.accountId)]).toEqual([0, 1]);
  await setClock("2026-11-24T05:00:00Z");
  expect([await retrySyncs(), countRequests(own.accountId)]).toEqual([1, 2]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await job().db.execute("delete from pins where id not in (select pin_id from pin_metrics)");
  await endRun(own.accountId);
  await setClock("2026-11-24T08:00:00Z");
  expect([await send(), await send()]).toEqual([1, 0]);
  expect((await emailsOf(own))[0]?.week).toMatchObject({ firstDay: "2026-11-16", lastDay: "2026-11-22" });
  expect((await marks())[0]).toMatchObject({ requestedWeek: "2026-11-23", sentWeek: "2026-11-23" });
});

test("A-83 a run that ended without any metrics is retried as well", async () => {
  const own = await recipient([{ daily: null }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  await endRun(own.accountId);
  await at("05:15");
  expect([await retrySyncs(), countRequests(own.accountId)]).toEqual([1, 2]);
});

test("A-83 nothing is retried and no email waits when all metrics are stored or all pins are deleted", async () => {
  const held = await recipient();
  const gone = await recipient([seen(100), { daily: null, metrics: { state: "gone" } }]);
  const none = await recipient([{ daily: null, metrics: { state: "gone" } }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  for (const { accountId } of [held, gone, none]) {
    const sync = {
      accountId,
      requestedAt: job().now(),
      finishedAt: job().now(),
      wakeAt: null,
      problemText: "Refused.",
    };
    await job()
      .db.insert(analyticsSyncs)
      .values(sync)
      .onConflictDoUpdate({ target: analyticsSyncs.accountId, set: sync });
  }
  await at("08:00");
  expect([await retrySyncs(), await send()]).toEqual([0, 2]);
  expect((await marks()).map(({ sentWeek }) => sentWeek)).toEqual(["2026-11-23", "2026-11-23", "2026-11-23"]);
});

test("A-83 of two accounts the one on hold is retried, and the email waits for it", async () => {
  const own = await recipient();
  const second = await seedAccount(own.ctx);
  await seedPins(own.ctx, second, [{ daily: null }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  await endRun(second, "Pinterest is not answering.");
  await at("08:00");
  expect([await send(), await retrySyncs()]).toEqual([0, 1]);
  expect([countRequests(own.accountId), countRequests(second)]).toEqual([0, 2]);
});

test("A-83 the email does not wait for an account that Pinterest refuses", async () => {
  const own = await recipient();
  const second = await seedAccount(own.ctx);
  await seedPins(own.ctx, second, [{ daily: null }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  await at("07:59");
  expect(await send()).toBe(0);
  await endRun(second, "Pinterest does not permit this.", "refused");
  await at("08:00");
  expect([await retrySyncs(), await send()]).toEqual([0, 1]);
  expect((await emailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 2 });
});

test("A-83 a user with only refused pins stays open: metrics from their own retry are sent that day", async () => {
  const own = await recipient([{ daily: null }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  await endRun(own.accountId, "Pinterest does not permit this.", "refused");
  await at("08:00");
  expect([await retrySyncs(), await send()]).toEqual([0, 0]);
  expect((await marks())[0]?.sentWeek).toBeNull();
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("09:00");
  expect(await send()).toBe(1);
});

test("A-83 a pin published after the run ended does not delay the email", async () => {
  const own = await recipient([seen(100), { daily: null }]);
  await at("05:00");
  await requestWeeklySyncs(job());
  await endRun(own.accountId);
  await at("08:00");
  expect([await retrySyncs(), await send()]).toEqual([0, 1]);
});

test("A-83 users who got the email, or were requested late, are not retried", async () => {
  const own = await recipient([seen(100), { daily: null }]);
  const wakeAt = addMs(job().now(), HOUR_MS);
  await job().db.insert(analyticsSyncs).values({ accountId: own.accountId, requestedAt: job().now(), wakeAt });
  await at("12:00");
  expect(await send()).toBe(1);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("11:59");
  expect(await retrySyncs()).toBe(0);
});

test("A-83 nothing is requested, sent or marked when metrics are not stored", async () => {
  await recipient();
  const settings = { ...job().settings, analyticsCacheHours: 0 };
  expect(await requestWeeklySyncs({ ...job(), settings })).toEqual({ requested: 0, retried: 0 });
  expect(await sendWeeklyEmails({ ...job(), settings })).toEqual({ sent: 0 });
  expect(await marks()).toEqual([]);
});

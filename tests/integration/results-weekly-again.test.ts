import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { resultGathers, weeklyMails } from "#db/schema/analytics.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { askWeeks, tellWeeks } from "#lib/features/analytics/weekly.ts";
import { seedAccount, seedPins } from "#tests/support/results-seed.ts";
import type { Publisher } from "./results-house.ts";
import { seen, weeklyHouse } from "./weekly-house.ts";

const { house, job, setClock, mailsOf, reader } = weeklyHouse();

const at = (time: string) => setClock(`2026-11-23T${time}:00Z`);

const asksOf = (accountId: string): number =>
  house().sentEvents.filter((event) => event.name === "results/gather.requested" && event.data.accountId === accountId)
    .length;

/** The account's run ends; with a text it could not go on. */
const endRun = (accountId: string, problemText: string | null = null, by: "failing" | "refused" = "failing") =>
  job()
    .db.update(resultGathers)
    .set({ wakeAt: null, finishedAt: job().now(), problemText, heldBy: problemText === null ? null : by })
    .where(eq(resultGathers.accountId, accountId));

const tell = async () => (await tellWeeks(job())).posted;
const askAgain = async () => (await askWeeks(job())).again;
const marks = () =>
  job().db.select({ askedWeek: weeklyMails.askedWeek, toldWeek: weeklyMails.toldWeek }).from(weeklyMails);

/** A reader of whose pin nothing is known, whose run at five could not go on. */
const heldAtFive = async (): Promise<Publisher> => {
  const own = await reader([{ daily: null }]);
  await at("05:00");
  expect(await askWeeks(job())).toEqual({ asked: 1, again: 0 });
  await at("05:08");
  await endRun(own.accountId, "Pinterest is not answering.");
  return own;
};

test("A-83 bad minutes at Pinterest at five cost nobody the mail: figures are asked for again with each run", async () => {
  const own = await heldAtFive();
  await at("05:15");
  expect([await askAgain(), asksOf(own.accountId)]).toEqual([1, 2]);
  // While that run works no other begins.
  await at("05:30");
  expect([await askAgain(), asksOf(own.accountId)]).toEqual([0, 2]);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("08:00");
  expect([await tell(), await askAgain()]).toEqual([0, 1]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await job().db.execute("delete from pins where id not in (select pin_id from pin_figures)");
  await endRun(own.accountId);
  await at("08:15");
  expect([await askAgain(), await tell()]).toEqual([0, 1]);
  expect((await mailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 1 });
});

test("A-83 a run that was held with part of the figures is asked for again, and the mail waits until noon", async () => {
  const own = await heldAtFive();
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("11:45");
  expect([await tell(), await askAgain()]).toEqual([0, 1]);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("12:00");
  expect([await askAgain(), await tell()]).toEqual([0, 1]);
  expect((await mailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 2 });
});

test("A-83 whose figures come after noon is told then; without any the week is not taken for told", async () => {
  const own = await heldAtFive();
  for (const time of ["12:00", "12:15"]) {
    await at(time);
    expect([await tell(), await askAgain()]).toEqual([0, 0]);
  }
  expect(await marks()).toEqual([{ askedWeek: "2026-11-23", toldWeek: null }]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("12:30");
  expect([await tell(), await tell()]).toEqual([1, 0]);
});

test("A-83 a Monday on which nothing ran from eight on is made up for on Tuesday, with figures of that morning", async () => {
  const own = await heldAtFive();
  await setClock("2026-11-24T04:59:00Z");
  expect([await askAgain(), asksOf(own.accountId)]).toEqual([0, 1]);
  await setClock("2026-11-24T05:00:00Z");
  expect([await askAgain(), asksOf(own.accountId)]).toEqual([1, 2]);
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await job().db.execute("delete from pins where id not in (select pin_id from pin_figures)");
  await endRun(own.accountId);
  await setClock("2026-11-24T08:00:00Z");
  expect([await tell(), await tell()]).toEqual([1, 0]);
  expect((await mailsOf(own))[0]?.week).toMatchObject({ firstDay: "2026-11-16", lastDay: "2026-11-22" });
  expect((await marks())[0]).toMatchObject({ askedWeek: "2026-11-23", toldWeek: "2026-11-23" });
});

test("A-83 a run that ended without any figures is asked for again as well", async () => {
  const own = await reader([{ daily: null }]);
  await at("05:00");
  await askWeeks(job());
  await endRun(own.accountId);
  await at("05:15");
  expect([await askAgain(), asksOf(own.accountId)]).toEqual([1, 2]);
});

test("A-83 where all figures are here, or Pinterest has none of the pins, nothing is asked again and nobody waits", async () => {
  const held = await reader();
  const gone = await reader([seen(100), { daily: null, figures: { state: "gone" } }]);
  const none = await reader([{ daily: null, figures: { state: "gone" } }]);
  await at("05:00");
  await askWeeks(job());
  for (const { accountId } of [held, gone, none]) {
    const gather = { accountId, askedAt: job().now(), finishedAt: job().now(), wakeAt: null, problemText: "Refused." };
    await job()
      .db.insert(resultGathers)
      .values(gather)
      .onConflictDoUpdate({ target: resultGathers.accountId, set: gather });
  }
  await at("08:00");
  expect([await askAgain(), await tell()]).toEqual([0, 2]);
  expect((await marks()).map(({ toldWeek }) => toldWeek)).toEqual(["2026-11-23", "2026-11-23", "2026-11-23"]);
});

test("A-83 of two accounts the one that was held is asked for again, and the mail waits for it", async () => {
  const own = await reader();
  const second = await seedAccount(own.ctx);
  await seedPins(own.ctx, second, [{ daily: null }]);
  await at("05:00");
  await askWeeks(job());
  await endRun(second, "Pinterest is not answering.");
  await at("08:00");
  expect([await tell(), await askAgain()]).toEqual([0, 1]);
  expect([asksOf(own.accountId), asksOf(second)]).toEqual([0, 2]);
});

test("A-83 for an account that Pinterest refuses the mail about another one does not wait", async () => {
  const own = await reader();
  const second = await seedAccount(own.ctx);
  await seedPins(own.ctx, second, [{ daily: null }]);
  await at("05:00");
  await askWeeks(job());
  await at("07:59");
  expect(await tell()).toBe(0);
  await endRun(second, "Pinterest does not permit this.", "refused");
  await at("08:00");
  expect([await askAgain(), await tell()]).toEqual([0, 1]);
  expect((await mailsOf(own))[0]?.week).toMatchObject({ counted: 1, published: 2 });
});

test("A-83 who has refused pins alone is not taken for told: what their own try brings is told that day", async () => {
  const own = await reader([{ daily: null }]);
  await at("05:00");
  await askWeeks(job());
  await endRun(own.accountId, "Pinterest does not permit this.", "refused");
  await at("08:00");
  expect([await askAgain(), await tell()]).toEqual([0, 0]);
  expect((await marks())[0]?.toldWeek).toBeNull();
  await seedPins(own.ctx, own.accountId, [seen(100)]);
  await at("09:00");
  expect(await tell()).toBe(1);
});

test("A-83 a pin that came out after the run ended holds up no mail", async () => {
  const own = await reader([seen(100), { daily: null }]);
  await at("05:00");
  await askWeeks(job());
  await endRun(own.accountId);
  await at("08:00");
  expect([await askAgain(), await tell()]).toEqual([0, 1]);
});

test("A-83 whoever was told, or asked for late, is not asked for again", async () => {
  const own = await reader([seen(100), { daily: null }]);
  const wakeAt = addMs(job().now(), HOUR_MS);
  await job().db.insert(resultGathers).values({ accountId: own.accountId, askedAt: job().now(), wakeAt });
  await at("12:00");
  expect(await tell()).toBe(1);
  await endRun(own.accountId, "Pinterest is not answering.");
  await at("11:59");
  expect(await askAgain()).toBe(0);
});

test("A-83 where no figures are kept nobody is asked for, told or marked", async () => {
  await reader();
  const settings = { ...job().settings, analyticsCacheHours: 0 };
  expect(await askWeeks({ ...job(), settings })).toEqual({ asked: 0, again: 0 });
  expect(await tellWeeks({ ...job(), settings })).toEqual({ posted: 0 });
  expect(await marks()).toEqual([]);
});

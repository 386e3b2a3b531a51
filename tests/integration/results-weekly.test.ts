import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { resultGathers, weeklyMails } from "#db/schema/analytics.ts";
import { letters } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { askWeeks, tellWeeks } from "#lib/features/analytics/weekly.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import { switchMail } from "#lib/features/notifications/preferences.ts";
import { type SeededPin, seedPins } from "#tests/support/results-seed.ts";
import type { Publisher } from "./results-house.ts";
import { seen, userIdOf, weeklyHouse } from "./weekly-house.ts";

const { house, job, setClock, mailsOf, reader } = weeklyHouse();

describe("A-83 the weekly mail", () => {
  test("A-83 tells three facts of the last seven final days, and what to make more of", async () => {
    const winner = (n: number) => seen(60, 3, { keyword: "Linen Bedroom", title: `Linen ${n}` });
    const rising: SeededPin = {
      row: { keyword: "clay bench", title: "A bench of clay" },
      daily: (day) => ({ impressions: day >= 81 ? 200 : 100, outboundClicks: 1 }),
    };
    const own = await reader([...Array.from({ length: 4 }, (_, n) => winner(n)), rising]);
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    const [mail] = await mailsOf(own);
    expect(mail?.week).toEqual({
      ...{ firstDay: "2026-11-15", lastDay: "2026-11-21" },
      impressions: 4 * 60 * 7 + 200 * 7,
      impressionsBefore: 4 * 60 * 7 + 100 * 7,
      ...{ counted: 5, published: 5 },
      keyword: {
        label: "Linen Bedroom",
        days: 30,
        rate: 0.05,
        low: expect.closeTo(0.045, 2),
        high: expect.closeTo(0.055, 2),
        ...{ isSure: true, level: 0 },
      },
      pin: { title: expect.stringMatching(/^Linen \d$/), impressions: 420, outboundClicks: 21 },
    });
    if (!mail) throw new Error("There is a mail.");
    const { subject, text, html, unsubscribeUrl } = renderLetter(job(), mail);
    expect(subject).toBe("3,080 views of your Evertack pins last week");
    expect(text).toContain("from Nov 15 to Nov 21.");
    expect(text).toContain("* 3,080 views of your Evertack pins\n  29% more than in the seven days before.");
    expect(text).toMatch(/\* Best keyword: Linen Bedroom\n {2}Over 30 days, 5\.0% of views led to a click/);
    expect(text).toMatch(/\* Best pin: Linen \d\n {2}21 clicks on its link, seen 420 times\./);
    expect(text).toContain("http://localhost:3000/app/evertack-creator?keyword=Linen+Bedroom");
    expect(text).toContain("http://localhost:3000/app/analytics");
    expect(html).toContain("Make more of “Linen Bedroom”");
    expect(unsubscribeUrl).toMatch(/unsubscribe\/usr_[0-9a-z]+\.weekly_results\./);
  });

  test("A-83 says so where no keyword is decided, and of how many pins there are figures", async () => {
    const own = await reader([seen(20, 0, { keyword: "fern", title: "<b>Fern</b>" }), { daily: null }]);
    await tellWeeks(job());
    const [mail] = await mailsOf(own);
    expect(mail?.week).toMatchObject({ keyword: null, counted: 1, published: 2, pin: { title: "<b>Fern</b>" } });
    if (!mail) throw new Error("There is a mail.");
    const { subject, text, html } = renderLetter(job(), mail);
    expect(subject).toBe("At least 140 views of your Evertack pins last week");
    expect(text).toContain("* Best keyword: too early to tell");
    expect(text).toContain("* Most seen pin: ");
    expect(text).toContain("That is of the one pin with figures. As many as in the seven days before.");
    expect(text).toContain("There are figures of 1 of your 2 published pins.");
    expect(html).not.toContain("<b>Fern</b>");
  });

  test("A-83 of keywords that are level none is called the best alone", async () => {
    const twins = ["linen bedroom", "clay bench"].map((keyword) => seen(600, 30, { keyword }));
    const own = await reader([...twins, seen(2_000, 4, { keyword: "fern" })]);
    await tellWeeks(job());
    const [mail] = await mailsOf(own);
    expect(mail?.week.keyword).toMatchObject({ isSure: true, level: 1 });
  });

  test("A-83 goes out once a week, whoever runs twice or at once, and again the week after", async () => {
    const own = await reader();
    expect(await Promise.all(Array.from({ length: 4 }, () => tellWeeks(job())))).toContainEqual({ posted: 1 });
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    expect(await mailsOf(own)).toHaveLength(1);
    await setClock("2026-11-29T23:59:00Z");
    await tellWeeks(job());
    expect(await mailsOf(own)).toHaveLength(1);
    await setClock("2026-11-30T08:00:30Z");
    await seedPins(own.ctx, own.accountId, [seen(100)]);
    await tellWeeks(job());
    expect(await mailsOf(own)).toHaveLength(2);
  });

  test("A-83 comes at eight by the reader's own clock, and on no other day", async () => {
    const zones = ["Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati", "UTC"];
    const readers = await Promise.all(zones.map((zone) => reader([seen(100)], zone)));
    const told = async (iso: string) => {
      await setClock(iso);
      await tellWeeks(job());
      return Promise.all(readers.map(async (own) => (await mailsOf(own)).length));
    };
    // In Kiritimati it is Monday at eight when it is still Sunday elsewhere.
    expect(await told("2026-11-22T17:59:00Z")).toEqual([0, 0, 0, 0]);
    expect(await told("2026-11-22T18:00:00Z")).toEqual([0, 0, 1, 0]);
    expect(await told("2026-11-23T02:14:00Z")).toEqual([0, 0, 1, 0]);
    expect(await told("2026-11-23T02:15:00Z")).toEqual([1, 0, 1, 0]);
    expect(await told("2026-11-23T08:00:00Z")).toEqual([1, 0, 1, 1]);
    expect(await told("2026-11-23T12:59:00Z")).toEqual([1, 0, 1, 1]);
    expect(await told("2026-11-23T13:00:00Z")).toEqual([1, 1, 1, 1]);
  });

  test("A-83 who missed the morning is told until the evening, or by day on Tuesday, and no later", async () => {
    const own = await reader();
    const late = await reader();
    await setClock("2026-11-23T19:59:00Z");
    await job()
      .db.insert(weeklyMails)
      .values({ userId: userIdOf(late) as never, toldWeek: "2026-11-23" });
    await tellWeeks(job());
    expect([(await mailsOf(own)).length, (await mailsOf(late)).length]).toEqual([1, 0]);
    await job().db.delete(weeklyMails);
    const nights = ["2026-11-23T20:00:00Z", "2026-11-24T07:59:00Z", "2026-11-24T20:00:00Z", "2026-11-25T08:00:00Z"];
    for (const iso of nights) {
      await setClock(iso);
      expect(await tellWeeks(job())).toEqual({ posted: 0 });
    }
    await setClock("2026-11-24T08:00:00Z");
    expect([await tellWeeks(job()), await tellWeeks(job())]).toEqual([{ posted: 2 }, { posted: 0 }]);
    const [marks] = await job().db.select().from(weeklyMails);
    expect(marks?.toldWeek).toBe("2026-11-23");
  });

  test("A-83 figures are asked for at five, once, and the mail waits for them", async () => {
    const own = await reader([{ daily: null, row: { pinterestPinId: "123" } }]);
    const asksOf = () =>
      house().sentEvents.filter(
        (event) => event.name === "results/gather.requested" && event.data.accountId === own.accountId,
      ).length;
    await setClock("2026-11-23T04:59:00Z");
    expect(await askWeeks(job())).toEqual({ asked: 0, again: 0 });
    await setClock("2026-11-23T05:00:00Z");
    expect(await askWeeks(job())).toEqual({ asked: 1, again: 0 });
    expect([await askWeeks(job()), asksOf()]).toEqual([{ asked: 0, again: 0 }, 1]);
    await setClock("2026-11-23T08:00:00Z");
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    // The run ended, with figures.
    await job().db.delete(pins);
    await seedPins(own.ctx, own.accountId, [seen(100)]);
    await job().db.update(resultGathers).set({ wakeAt: null, finishedAt: job().now() });
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    const [marks] = await job().db.select().from(weeklyMails);
    expect(marks).toMatchObject({ askedWeek: "2026-11-23", toldWeek: "2026-11-23" });
  });

  test("A-83 R-SRV-04 for whoever switched the mail off Pinterest is not asked, at five or again, and no mail goes out", async () => {
    const own = await reader([seen(100), { daily: null }]);
    const hold = { wakeAt: null, finishedAt: job().now(), problemText: "Pinterest is not answering." };
    const asks = () => house().sentEvents.filter(({ name }) => name === "results/gather.requested").length;
    const before = asks();
    await setClock("2026-11-23T05:00:00Z");
    await switchMail(own.ctx, { kind: "weekly_results", isOn: false });
    expect([await askWeeks(job()), asks() - before]).toEqual([{ asked: 0, again: 0 }, 0]);
    await switchMail(own.ctx, { kind: "weekly_results", isOn: true });
    expect([await askWeeks(job()), asks() - before]).toEqual([{ asked: 1, again: 0 }, 1]);
    // Switched off only after that, and the run could not go on.
    await job().db.update(resultGathers).set(hold);
    await switchMail(own.ctx, { kind: "weekly_results", isOn: false });
    for (const time of ["05:15", "08:00", "11:45", "12:00", "19:45"]) {
      await setClock(`2026-11-23T${time}:00Z`);
      expect([await askWeeks(job()), await tellWeeks(job())]).toEqual([{ asked: 0, again: 0 }, { posted: 0 }]);
    }
    expect([asks() - before, await mailsOf(own)]).toEqual([1, []]);
  });

  test("A-83 while figures are being fetched it waits, but not beyond noon", async () => {
    const own = await reader();
    const gather = { accountId: own.accountId, askedAt: job().now(), wakeAt: addMs(job().now(), HOUR_MS) };
    await job().db.insert(resultGathers).values(gather);
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    await setClock("2026-11-23T11:59:00Z");
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    await setClock("2026-11-23T12:00:00Z");
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    expect(await mailsOf(own)).toHaveLength(1);
  });

  test("R-SRV-04 who switched these mails off gets none, and the link at their foot switches them off", async () => {
    const own = await reader();
    await switchMail(own.ctx, { kind: "weekly_results", isOn: false });
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    await switchMail(own.ctx, { kind: "weekly_results", isOn: true });
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    expect((await mailsOf(own))[0]?.unsubscribe.claim).toBe(`${userIdOf(own)}.weekly_results`);
  });

  test.each<[string, (own: Publisher) => Promise<unknown>]>([
    ["pins that were hardly seen", ({ ctx }) => ctx.db.execute("update pin_figures set impressions = '{0,1,2}'")],
    ["no figures", ({ ctx }) => ctx.db.execute("delete from pin_figures")],
    [
      "figures of a day ago",
      ({ ctx }) => ctx.db.execute("update pin_figures set fetched_at = fetched_at - interval '24 hours'"),
    ],
    ["figures without a final day", ({ ctx }) => ctx.db.execute("update pin_figures set ready_through = null")],
    ["figures that ended long ago", ({ ctx }) => ctx.db.execute("update pin_figures set ready_through = '2026-11-15'")],
    ["drafts alone", ({ ctx }) => ctx.db.update(pins).set({ status: "draft" })],
    ["an account that was removed", ({ ctx }) => ctx.db.update(pinterestAccounts).set({ status: "removed" })],
    [
      "an account that lost its connection",
      ({ ctx }) => ctx.db.update(pinterestAccounts).set({ status: "reconnect_needed" }),
    ],
    ["a deleted user", ({ ctx }) => ctx.db.update(users).set({ closedAt: ctx.now() })],
  ])("A-83 nothing is sent where there is nothing to say: %s", async (_, change) => {
    const own = await reader();
    await change(own);
    expect(await tellWeeks(job())).toEqual({ posted: 0 });
    expect(await mailsOf(own)).toEqual([]);
  });

  test("A-83 whoever dies before the end of one reader's mail has told nothing of it; the next run does", async () => {
    const own = await reader();
    await job().db.execute("alter table letters add constraint broken check (recipient = '') not valid");
    const dying = job();
    expect(await tellWeeks(dying)).toEqual({ posted: 0 });
    expect(dying.log.fields().weekly_problem).toContain("broken");
    expect(await job().db.select().from(weeklyMails)).toEqual([]);
    await job().db.execute("alter table letters drop constraint broken");
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    expect(await mailsOf(own)).toHaveLength(1);
  });

  test("A-83 whoever dies before the engine knows leaves the mail to the sweep", async () => {
    const own = await reader();
    house().failNextSend();
    expect(await tellWeeks(job())).toEqual({ posted: 1 });
    expect(await mailsOf(own)).toHaveLength(1);
    const [waiting] = await job()
      .db.select()
      .from(letters)
      .where(eq(letters.userId, userIdOf(own)));
    expect(waiting?.wakeAt.getTime()).toBeGreaterThan(job().now().getTime() - MINUTE_MS);
    expect(waiting?.wakeAt.getTime()).toBeLessThan(job().now().getTime() + DAY_MS);
  });
});

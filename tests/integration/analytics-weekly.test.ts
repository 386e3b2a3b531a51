import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs, weeklyEmails } from "#db/schema/analytics.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { pageProposals, siteWatches } from "#db/schema/sites.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { requestWeeklySyncs, sendWeeklyEmails } from "#lib/features/analytics/weekly.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import { switchEmail } from "#lib/features/notifications/preferences.ts";
import { type SeededPin, seedPins } from "#tests/support/analytics-seed.ts";
import type { Publisher } from "./analytics-harness.ts";
import { seen, userIdOf, weeklyHarness } from "./weekly-harness.ts";

const { harness, job, setClock, emailsOf, recipient } = weeklyHarness();

describe("A-83 the weekly email", () => {
  const proposePages = async (own: Publisher, slugs: readonly string[], foundAt = harness().now()) => {
    const now = harness().now();
    const owner = { userId: userIdOf(own) };
    const [watchId, at] = [own.ctx.newId("watch"), { createdAt: now, checkedAt: now, nextAt: now }];
    const watch = { id: watchId, ...owner, address: "https://moss.example/feed", name: "Moss", known: "", ...at };
    await job().db.insert(siteWatches).values(watch);
    const pages = slugs.map((slug) => ({
      ...{ id: own.ctx.newId("proposal"), ...owner, watchId, url: `https://moss.example/${slug}` },
      ...{ title: slug, keyword: slug, foundAt },
    }));
    await job().db.insert(pageProposals).values(pages);
  };

  test("A-83 tells of new pages without any results, once, and only while there are recent ones", async () => {
    const [own, earlier, muted, none] = [
      await recipient([]),
      await recipient([]),
      await recipient([]),
      await recipient([]),
    ];
    await proposePages(own, ["a"]);
    await proposePages(earlier, ["a", "b"], addMs(harness().now(), -8 * DAY_MS));
    await proposePages(muted, ["a"]);
    await switchEmail(muted.ctx, { kind: "weekly_results", isOn: false });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    for (const other of [earlier, muted, none]) expect(await emailsOf(other)).toEqual([]);
    const [email] = await emailsOf(own);
    if (!email) throw new Error("There is a mail.");
    const { subject, text, unsubscribeUrl } = renderEmail(job(), email);
    expect(subject).toBe("1 new page on the sites you watch");
    expect(text).toContain(
      "We found 1 new page on the sites you watch. Choose whether to make it a pin. Nothing is generated until you do.",
    );
    expect(text).toContain("/app/pages");
    expect(text).not.toMatch(/impression|your week/i);
    expect(unsubscribeUrl).toMatch(/unsubscribe/);
  });

  test("A-83 has a line about new pages of watched sites, if there are any", async () => {
    const [own, other] = [await recipient(), await recipient()];
    await proposePages(own, ["a", "b"]);
    await sendWeeklyEmails(job());
    const [[email], [plain]] = [await emailsOf(own), await emailsOf(other)];
    if (!email || !plain) throw new Error("There is a mail.");
    const { text } = renderEmail(job(), email);
    expect(text).toContain("* 2 new pages on the sites you watch\n  Choose which ones to make into pins.");
    expect(text).toContain("/app/pages");
    expect(renderEmail(job(), plain).text).not.toContain("/app/pages");
  });

  test("A-83 has three facts about the last seven final days, and suggests what to make more of", async () => {
    const winner = (n: number) => seen(60, 3, { keyword: "Linen Bedroom", title: `Linen ${n}` });
    const rising: SeededPin = {
      row: { keyword: "clay bench", title: "A bench of clay" },
      daily: (day) => ({ impressions: day >= 81 ? 200 : 100, outboundClicks: 1 }),
    };
    const own = await recipient([...Array.from({ length: 4 }, (_, n) => winner(n)), rising]);
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    const [email] = await emailsOf(own);
    expect(email?.week).toEqual({
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
    if (!email) throw new Error("There is a mail.");
    const { subject, text, html, unsubscribeUrl } = renderEmail(job(), email);
    expect(subject).toBe("3,080 impressions on your Evertack pins last week");
    expect(text).toContain("from Nov 15 to Nov 21.");
    expect(text).toContain("* 3,080 impressions on your Evertack pins\n  29% more than the week before.");
    expect(text).toMatch(
      /\* Best keyword: Linen Bedroom\n {2}Over 30 days, 5\.0% of impressions led to an outbound click/,
    );
    expect(text).toMatch(/\* Best pin: Linen \d\n {2}21 outbound clicks, 420 impressions\./);
    expect(text).toContain("http://localhost:3000/app/evertack-creator?keyword=Linen+Bedroom");
    expect(text).toContain("http://localhost:3000/app/analytics");
    expect(html).toContain("Create more pins like “Linen Bedroom”");
    expect(unsubscribeUrl).toMatch(/unsubscribe\/usr_[0-9a-z]+\.weekly_results\./);
  });

  test("A-83 says when no keyword is decided, and how many pins have metrics", async () => {
    const own = await recipient([seen(20, 0, { keyword: "fern", title: "<b>Fern</b>" }), { daily: null }]);
    await sendWeeklyEmails(job());
    const [email] = await emailsOf(own);
    expect(email?.week).toMatchObject({ keyword: null, counted: 1, published: 2, pin: { title: "<b>Fern</b>" } });
    if (!email) throw new Error("There is a mail.");
    const { subject, text, html } = renderEmail(job(), email);
    expect(subject).toBe("At least 140 impressions on your Evertack pins last week");
    expect(text).toContain("* Best keyword: too early to tell");
    expect(text).toContain("* Most viewed pin: ");
    expect(text).toContain("Based on the 1 pin with metrics. The same as the week before.");
    expect(text).toContain("We have metrics for 1 of your 2 published pins.");
    expect(html).not.toContain("<b>Fern</b>");
  });

  test("A-83 does not call one of several tied keywords the best", async () => {
    const duplicates = ["linen bedroom", "clay bench"].map((keyword) => seen(600, 30, { keyword }));
    const own = await recipient([...duplicates, seen(2_000, 4, { keyword: "fern" })]);
    await sendWeeklyEmails(job());
    const [email] = await emailsOf(own);
    expect(email?.week?.keyword).toMatchObject({ isSure: true, level: 1 });
  });

  test("A-83 is sent once a week despite repeated and concurrent runs, and again the next week", async () => {
    const own = await recipient();
    expect(await Promise.all(Array.from({ length: 4 }, () => sendWeeklyEmails(job())))).toContainEqual({ sent: 1 });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    expect(await emailsOf(own)).toHaveLength(1);
    await setClock("2026-11-29T23:59:00Z");
    await sendWeeklyEmails(job());
    expect(await emailsOf(own)).toHaveLength(1);
    await setClock("2026-11-30T08:00:30Z");
    await seedPins(own.ctx, own.accountId, [seen(100)]);
    await sendWeeklyEmails(job());
    expect(await emailsOf(own)).toHaveLength(2);
  });

  test("A-83 is sent at 8 AM in the user's time zone, and on no other day", async () => {
    const zones = ["Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati", "UTC"];
    const readers = await Promise.all(zones.map((zone) => recipient([seen(100)], zone)));
    const sent = async (iso: string) => {
      await setClock(iso);
      await sendWeeklyEmails(job());
      return Promise.all(readers.map(async (own) => (await emailsOf(own)).length));
    };
    // In Kiritimati it is Monday 8 AM while it is still Sunday elsewhere.
    expect(await sent("2026-11-22T17:59:00Z")).toEqual([0, 0, 0, 0]);
    expect(await sent("2026-11-22T18:00:00Z")).toEqual([0, 0, 1, 0]);
    expect(await sent("2026-11-23T02:14:00Z")).toEqual([0, 0, 1, 0]);
    expect(await sent("2026-11-23T02:15:00Z")).toEqual([1, 0, 1, 0]);
    expect(await sent("2026-11-23T08:00:00Z")).toEqual([1, 0, 1, 1]);
    expect(await sent("2026-11-23T12:59:00Z")).toEqual([1, 0, 1, 1]);
    expect(await sent("2026-11-23T13:00:00Z")).toEqual([1, 1, 1, 1]);
  });

  test("A-83 can be sent until Monday evening or during Tuesday, and no later", async () => {
    const own = await recipient();
    const late = await recipient();
    await setClock("2026-11-23T19:59:00Z");
    await job()
      .db.insert(weeklyEmails)
      .values({ userId: userIdOf(late) as never, sentWeek: "2026-11-23" });
    await sendWeeklyEmails(job());
    expect([(await emailsOf(own)).length, (await emailsOf(late)).length]).toEqual([1, 0]);
    await job().db.delete(weeklyEmails);
    const nights = ["2026-11-23T20:00:00Z", "2026-11-24T07:59:00Z", "2026-11-24T20:00:00Z", "2026-11-25T08:00:00Z"];
    for (const iso of nights) {
      await setClock(iso);
      expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    }
    await setClock("2026-11-24T08:00:00Z");
    expect([await sendWeeklyEmails(job()), await sendWeeklyEmails(job())]).toEqual([{ sent: 2 }, { sent: 0 }]);
    const [marks] = await job().db.select().from(weeklyEmails);
    expect(marks?.sentWeek).toBe("2026-11-23");
  });

  test("A-83 syncs are requested once at 5 AM, and the email waits for them", async () => {
    const own = await recipient([{ daily: null, row: { pinterestPinId: "123" } }]);
    const countRequests = () =>
      harness().sentEvents.filter(
        (event) => event.name === "analytics/sync.requested" && event.data.accountId === own.accountId,
      ).length;
    await setClock("2026-11-23T04:59:00Z");
    expect(await requestWeeklySyncs(job())).toEqual({ requested: 0, retried: 0 });
    await setClock("2026-11-23T05:00:00Z");
    expect(await requestWeeklySyncs(job())).toEqual({ requested: 1, retried: 0 });
    expect([await requestWeeklySyncs(job()), countRequests()]).toEqual([{ requested: 0, retried: 0 }, 1]);
    await setClock("2026-11-23T08:00:00Z");
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    // The run ended with metrics.
    await job().db.delete(pins);
    await seedPins(own.ctx, own.accountId, [seen(100)]);
    await job().db.update(analyticsSyncs).set({ wakeAt: null, finishedAt: job().now() });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    const [marks] = await job().db.select().from(weeklyEmails);
    expect(marks).toMatchObject({ requestedWeek: "2026-11-23", sentWeek: "2026-11-23" });
  });

  test("A-83 R-SRV-04 users who turned the email off cause no Pinterest calls and get no email", async () => {
    const own = await recipient([seen(100), { daily: null }]);
    const hold = { wakeAt: null, finishedAt: job().now(), problemText: "Pinterest is not answering." };
    const countSyncRequests = () =>
      harness().sentEvents.filter(({ name }) => name === "analytics/sync.requested").length;
    const before = countSyncRequests();
    await setClock("2026-11-23T05:00:00Z");
    await switchEmail(own.ctx, { kind: "weekly_results", isOn: false });
    expect([await requestWeeklySyncs(job()), countSyncRequests() - before]).toEqual([{ requested: 0, retried: 0 }, 0]);
    await switchEmail(own.ctx, { kind: "weekly_results", isOn: true });
    expect([await requestWeeklySyncs(job()), countSyncRequests() - before]).toEqual([{ requested: 1, retried: 0 }, 1]);
    // Turned off only afterward, and the run stopped early.
    await job().db.update(analyticsSyncs).set(hold);
    await switchEmail(own.ctx, { kind: "weekly_results", isOn: false });
    for (const time of ["05:15", "08:00", "11:45", "12:00", "19:45"]) {
      await setClock(`2026-11-23T${time}:00Z`);
      expect([await requestWeeklySyncs(job()), await sendWeeklyEmails(job())]).toEqual([
        { requested: 0, retried: 0 },
        { sent: 0 },
      ]);
    }
    expect([countSyncRequests() - before, await emailsOf(own)]).toEqual([1, []]);
  });

  test("A-83 waits for a running sync, but not beyond noon", async () => {
    const own = await recipient();
    const sync = { accountId: own.accountId, requestedAt: job().now(), wakeAt: addMs(job().now(), HOUR_MS) };
    await job().db.insert(analyticsSyncs).values(sync);
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    await setClock("2026-11-23T11:59:00Z");
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    await setClock("2026-11-23T12:00:00Z");
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    expect(await emailsOf(own)).toHaveLength(1);
  });

  test("R-SRV-04 is not sent to users who turned it off, and its unsubscribe link turns it off", async () => {
    const own = await recipient();
    await switchEmail(own.ctx, { kind: "weekly_results", isOn: false });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    await switchEmail(own.ctx, { kind: "weekly_results", isOn: true });
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    expect((await emailsOf(own))[0]?.unsubscribe.claim).toBe(`${userIdOf(own)}.weekly_results`);
  });

  test.each<[string, (own: Publisher) => Promise<unknown>]>([
    ["pins that were hardly seen", ({ ctx }) => ctx.db.execute("update pin_metrics set impressions = '{0,1,2}'")],
    ["no figures", ({ ctx }) => ctx.db.execute("delete from pin_metrics")],
    [
      "figures of a day ago",
      ({ ctx }) => ctx.db.execute("update pin_metrics set fetched_at = fetched_at - interval '24 hours'"),
    ],
    ["figures without a final day", ({ ctx }) => ctx.db.execute("update pin_metrics set ready_through = null")],
    ["figures that ended long ago", ({ ctx }) => ctx.db.execute("update pin_metrics set ready_through = '2026-11-15'")],
    ["drafts alone", ({ ctx }) => ctx.db.update(pins).set({ status: "draft" })],
    ["an account that was removed", ({ ctx }) => ctx.db.update(pinterestAccounts).set({ status: "removed" })],
    [
      "an account that lost its connection",
      ({ ctx }) => ctx.db.update(pinterestAccounts).set({ status: "reconnect_needed" }),
    ],
    ["a deleted user", ({ ctx }) => ctx.db.update(users).set({ closedAt: ctx.now() })],
  ])("A-83 is not sent without anything to report: %s", async (_, change) => {
    const own = await recipient();
    await change(own);
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 0 });
    expect(await emailsOf(own)).toEqual([]);
  });

  test("A-83 a crash before the commit sends nothing; the next run does", async () => {
    const own = await recipient();
    await job().db.execute("alter table email_outbox add constraint broken check (recipient = '') not valid");
    const dying = job();
    expect(await sendWeeklyEmails(dying)).toEqual({ sent: 0 });
    expect(dying.log.fields().weekly_problem).toContain("broken");
    expect(await job().db.select().from(weeklyEmails)).toEqual([]);
    await job().db.execute("alter table email_outbox drop constraint broken");
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    expect(await emailsOf(own)).toHaveLength(1);
  });

  test("A-83 a crash before the event is sent leaves the email to the sweep", async () => {
    const own = await recipient();
    harness().failNextSend();
    expect(await sendWeeklyEmails(job())).toEqual({ sent: 1 });
    expect(await emailsOf(own)).toHaveLength(1);
    const [waiting] = await job()
      .db.select()
      .from(emailOutbox)
      .where(eq(emailOutbox.userId, userIdOf(own)));
    expect(waiting?.wakeAt.getTime()).toBeGreaterThan(job().now().getTime() - MINUTE_MS);
    expect(waiting?.wakeAt.getTime()).toBeLessThan(job().now().getTime() + DAY_MS);
  });
});

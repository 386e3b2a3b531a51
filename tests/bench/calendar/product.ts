import { randomBytes } from "node:crypto";
import { type BrowserContext, chromium } from "@playwright/test";
import { CSRF_COOKIE } from "#lib/core/browser-keys.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { chromiumLaunchOptions } from "#scripts/chromium.ts";
import { ensureTestBuild, startTestApp } from "#tests/support/app.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { fixturesOf } from "#tests/support/fixtures/product.ts";

/** Accounts of a signed-in user in the project's browser. */
export interface CalendarProduct {
  context: BrowserContext;
  /** Its pins are all in the month of `date`. */
  monthUrl: string;
  /** Its pins lie within the days that the list shows. */
  listUrl: string;
  /** The server's response to the session's cookie. */
  read(url: string): Promise<string>;
  stop(): Promise<void>;
}

/** How many pins the month and the list have. */
export interface PinCounts {
  month: number;
  list: number;
}

/** The first day of the month after the next one, so that no pin comes due. */
const firstDay = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));

/** Scheduled pins on so many days, each day from 8 AM to 8 PM. */
const spread = (count: number, days: number, start: Date) =>
  Array.from({ length: count }, (_, n) => {
    const ofDay = Math.ceil(count / days);
    const minutes = Math.floor((12 * 60 * (n % ofDay)) / ofDay);
    const scheduledAt = addMs(start, Math.floor(n / ofDay) * DAY_MS + 8 * HOUR_MS + minutes * MINUTE_MS);
    const [chosenAt, wakeAt] = [new Date(), scheduledAt];
    return { title: `Moss garden number ${n}`, status: "scheduled" as const, scheduledAt, chosenAt, wakeAt };
  });

/** Starts the production build, and a browser that is signed in. */
export async function startCalendar(counts: PinCounts): Promise<CalendarProduct> {
  await ensureTestBuild();
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    const cluster = await startTestCluster();
    ends.push(() => cluster.stop());
    const app = await startTestApp({
      serverUrl: cluster.serverUrl,
      settings: { RATE_LIMIT_FACTOR: "1000" },
      clock: "real",
    });
    ends.push(() => app.stop());
    const fixtures = fixturesOf(app);
    ends.push(() => fixtures.close());
    const user = await fixtures.user({ timeZone: "UTC" });
    const { cookie, token } = await fixtures.login(user);
    const start = firstDay(new Date());
    const [month, list] = [await fixtures.account(user), await fixtures.account(user)];
    await fixtures.pins(month, spread(counts.month, 28, start));
    await fixtures.pins(list, spread(counts.list, 58, start));
    const browser = await chromium.launch(await chromiumLaunchOptions());
    ends.push(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC" });
    const session = { name: "next-auth.session-token", value: cookie };
    await context.addCookies([
      { ...session, url: app.baseUrl, sameSite: "Lax", httpOnly: true },
      { name: CSRF_COOKIE, value: randomBytes(16).toString("hex"), url: app.baseUrl, sameSite: "Lax" },
    ]);
    await context.addInitScript((value) => localStorage.setItem("accessToken", value), token);
    const urlOf = (accountId: string, view: string) =>
      `${app.baseUrl}/app/calendar?account=${accountId}&view=${view}&date=${start.toISOString().slice(0, 10)}`;
    return {
      context,
      monthUrl: urlOf(month.id, "month"),
      listUrl: urlOf(list.id, "list"),
      read: async (url) => {
        const answer = await fetch(url, { headers: { cookie: `${session.name}=${session.value}` } });
        if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
        return answer.text();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

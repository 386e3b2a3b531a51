import { expect, type Page } from "@playwright/test";
import type postgres from "postgres";
import { untilLive, withDatabase } from "./support/live.ts";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const EVENTS_PER_ROUND = 100;
const ROUNDS = 3;
const BOUND_MS = 100;

/** Records the wall-clock time at which each 'Lag …' title first appeared on the page. */
const watchTitles = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(window, { seen });
    const record = () => {
      const text = document.querySelector(".pin-caption")?.textContent ?? "";
      const title = /Lag \d+-\d+\./.exec(text)?.[0];
      if (title) seen[title] ??= Date.now();
    };
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
  });

/** Durations of sequential API calls in milliseconds, sorted, as a measure of the machine's current load. */
const timeCalls = (page: Page, token: string): Promise<number[]> =>
  page.evaluate(
    async ([bearer, calls]) => {
      const times: number[] = [];
      while (times.length < Number(calls)) {
        const begin = performance.now();
        await (await fetch("/api/users/me/", { headers: { authorization: `Bearer ${bearer}` } })).text();
        times.push(performance.now() - begin);
      }
      return times.toSorted((a, b) => a - b);
    },
    [token, EVENTS_PER_ROUND] as const,
  );

/** Milliseconds from each commit until its change appeared on the page, sorted. */
const measure = async (page: Page, sql: postgres.Sql, pinId: string, round: number): Promise<number[]> => {
  const [begin] = await sql`select coalesce(max(id), 0) as id from live_events where subject = ${pinId}`;
  for (let n = 1; n <= EVENTS_PER_ROUND; n += 1) {
    const title = `Lag ${round}-${n}.`;
    await sql`update pins set title = ${title} where id = ${pinId}`;
    await page.waitForFunction((text) => Object(window).seen[text] !== undefined, title, {
      polling: 5,
      timeout: 30_000,
    });
  }
  const commits = await sql<{ ms: number }[]>`
    select extract(epoch from created_at)::float8 * 1000 as ms from live_events
    where subject = ${pinId} and id > ${begin?.id} order by id`;
  const seen = await page.evaluate((): Record<string, number> => Object(window).seen);
  const lags = commits.map(({ ms }, at) => (seen[`Lag ${round}-${at + 1}.`] ?? Number.NaN) - ms);
  // A negative lag means that the clocks disagree; shift all lags so that the smallest is zero.
  const ahead = Math.min(0, ...lags);
  return lags.map((lag) => lag - ahead).toSorted((a, b) => a - b);
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;

test("from commit to screen: p99 under 100 ms", async ({ page }) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await insertGenerated(account.id, ["cabins in the woods"]);
  await page.goto("/app/generated-posts");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.locator("[data-slot=pin-card]")).toHaveCount(1);
  await untilLive(page);
  await watchTitles(page);
  await withDatabase(async (sql) => {
    const [pin] = await sql`select id from pins where account_id = ${account.id}`;
    const rounds: { tailMs: number; boundMs: number }[] = [];
    const isGood = ({ tailMs, boundMs }: (typeof rounds)[number]) => tailMs <= boundMs;
    while (rounds.length < ROUNDS && !rounds.some(isGood)) {
      const before = at(await timeCalls(page, token), 0.99);
      const lags = await measure(page, sql, String(pin?.id), rounds.length + 1);
      expect(lags).toHaveLength(EVENTS_PER_ROUND);
      const callMs = Math.max(before, at(await timeCalls(page, token), 0.99));
      const formatted = [at(lags, 0.5), at(lags, 0.99), at(lags, 1), callMs].map((ms) => ms.toFixed(1));
      console.log(`live: ${lags.length} changes, commit to screen p50 ${formatted[0]} ms, p99 ${formatted[1]} ms,`);
      console.log(`live: the slowest ${formatted[2]} ms; a plain call before or after p99 ${formatted[3]} ms`);
      // On a busy machine the limit is three times the duration of a plain call.
      rounds.push({ tailMs: at(lags, 0.99), boundMs: Math.max(BOUND_MS, 3 * callMs) });
    }
    expect(rounds.some(isGood), JSON.stringify(rounds)).toBe(true);
  });
});

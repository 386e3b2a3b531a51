import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { openDatabase } from "#db/client.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { type PublishedPin, seedPublished } from "#tests/support/analytics-pins.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";
import { insertDrafts } from "./drafts.ts";
import { withDatabase } from "./live.ts";
import { connectQuickly, type SignedIn, signIn } from "./quick.ts";

/** Pins of one keyword, and the daily metrics of each pin. */
interface KeywordSeed {
  keyword: string;
  pins: number;
  impressions: number;
  clicks: number;
  link?: string;
  /** Default 100. */
  publishedDaysAgo?: number;
}

/** A winner, others with many impressions, and some whose rate is high by chance. */
export const WINNER = "winter baking";
const KEYWORD_SEEDS: readonly KeywordSeed[] = [
  { keyword: "slow cooker soups", pins: 3, impressions: 160, clicks: 2 },
  { keyword: WINNER, pins: 3, impressions: 120, clicks: 5 },
  { keyword: "linen bedroom", pins: 2, impressions: 110, clicks: 1 },
  { keyword: "pottery at home", pins: 2, impressions: 60, clicks: 1 },
  ...["quilt blocks", "paper stars", "citrus cake", "cabin list", "moss jars", "fern prints"].map((keyword) => ({
    keyword,
    pins: 1,
    impressions: 12,
    clicks: 3,
  })),
];

/** A user with published pins and metrics of the last 90 days. */
export interface Seeded extends SignedIn {
  account: { id: string; username: string };
}

const HISTORY_DAYS = 88;

/** Signs in a user whose pins are published, here and at the stand-in, but have no metrics yet. */
export const signInWithPublished = async (
  page: Page,
  wantedOn: (boardId: string) => readonly PublishedPin[],
): Promise<Seeded> => {
  const me = await signIn(page);
  const account = await connectQuickly(page, me.token);
  const pinterest = controlPinterest(process.env.E2E_PINTEREST_URL ?? "");
  const [board] = await pinterest.boardsOf(account.username);
  await insertDrafts({ accountId: account.id }, ["The pattern"]);
  await withDatabase(async (sql) => {
    const [pattern] = await sql<{ user_id: UserId; image_key: string }[]>`
      delete from pins where account_id = ${account.id} returning user_id, image_key`;
    if (!pattern || !board) throw new Error("There is no pin to copy the image from.");
    const { db, close } = openDatabase(process.env.E2E_DATABASE_URL ?? "", 1);
    const wanted = wantedOn(board.id).map((pin) => ({ ...pin, imageKey: pattern.image_key }));
    await seedPublished(db, pinterest, { userId: pattern.user_id, account }, wanted);
    await close();
  });
  return { ...me, account };
};

/** Signs in a user with published pins and inserts their daily metrics. */
export const signInWithAnalytics = async (
  page: Page,
  seeds: readonly KeywordSeed[] = KEYWORD_SEEDS,
): Promise<Seeded> => {
  const now = new Date();
  const seeded = await signInWithPublished(page, (boardId) =>
    seeds.flatMap(({ keyword, pins, link = null, publishedDaysAgo = 100 }) => {
      const publishedAt = addMs(now, -publishedDaysAgo * DAY_MS);
      return Array.from({ length: pins }, (_, n) => ({
        ...{ title: `${keyword} ${n + 1}`, keyword, boardId, publishedAt, link },
      }));
    }),
  );
  const { id } = seeded.account;
  await withDatabase(async (sql) => {
    for (const { keyword, impressions, clicks } of seeds) {
      await sql`
        insert into pin_metrics (pin_id, account_id, state, first_day, ready_through, impressions, pin_clicks,
          outbound_clicks, saves, fetched_at)
        select id, account_id, 'ready', (now() at time zone 'UTC')::date - 89, (now() at time zone 'UTC')::date - 2,
          ${totals(impressions)}::int[], ${totals(clicks * 2)}::int[], ${totals(clicks)}::int[], ${totals(2)}::int[], now()
        from pins where account_id = ${id} and keyword = ${keyword}`;
    }
  });
  return seeded;
};

/** Running totals of a constant daily number. */
const totals = (perDay: number): number[] => Array.from({ length: HISTORY_DAYS }, (_, day) => (day + 1) * perDay);

/** Opens Analytics and waits until it is interactive. */
export const openAnalyticsPage = async (page: Page, query = ""): Promise<void> => {
  await page.goto(`/app/analytics${query}`);
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole("heading", { level: 1, name: "Analytics" })).toBeVisible();
};

/** Clicks a button and returns the file that it downloads. */
export const download = async (page: Page, name: RegExp): Promise<{ name: string; bytes: Buffer }> => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
};

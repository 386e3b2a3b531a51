import { expect, type Page, type Request } from "@playwright/test";
import { grant } from "./support/grant.ts";
import { EVENTS, untilLive, withDatabase } from "./support/live.ts";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const POSTS = "**/api/users/pinterest/generated-pins/**";
const picks = (page: Page) => page.getByRole("checkbox", { name: /^Select / });

const arrange = async (page: Page, keywords: string[]) => {
  const { who, token } = await signIn(page);
  const account = await connectQuickly(page, token);
  if (keywords.length > 0) await insertGenerated(account.id, keywords);
  return { who, token, account };
};

test("R-POST-11, R-POST-09 a card changes to scheduled and published in place, and the selection stays", async ({
  page,
}) => {
  const { token, account } = await arrange(page, ["cabins in the woods", "linen bedding", "citrus desserts"]);
  const calls: string[] = [];
  await page.goto("/app/generated-posts");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(picks(page)).toHaveCount(3);
  await untilLive(page);
  await picks(page).nth(0).check();
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${account.id}/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { posts } = (await answer.json()) as { posts: { id: string; title: string }[] };
  const last = posts[2];
  const card = page.locator("[data-slot=pin-card]").nth(2);
  page.on("request", (request) => calls.push(request.url()));
  // From here on, list requests get no response.
  await page.route(POSTS, () => undefined);
  await page.evaluate(async () => {
    await document.fonts.ready;
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push(Number(Object(entry).value));
    }).observe({ type: "layout-shift" });
  });
  await page.request.post("/api/users/pinterest/batch-publish-pins/", {
    headers: { authorization: `Bearer ${token}` },
    data: { post_ids: [last?.id], interval_minutes: 60 },
  });
  await expect(card.getByText("Published")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("status").filter({ hasText: `${last?.title} was published.` })).toBeAttached();
  await expect(page.locator("[data-slot=pin-card]")).toHaveCount(3);
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(1);
  // Shifts below a thousandth are a fraction of a pixel and not visible.
  expect(await page.evaluate(() => Object(window).shifts.filter((shift: number) => shift >= 0.001))).toEqual([]);
});

test("R-CRED-01, R-ACC-02 credits and accounts update live; new drafts are counted at Refresh", async ({ page }) => {
  const { who, account } = await arrange(page, ["cabins in the woods"]);
  await page.goto("/app");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await untilLive(page);
  await expect(page.getByTestId("credit-panel")).toContainText("5");
  await grant(who.email, 31);
  await expect(page.getByTestId("credit-panel")).toContainText("36", { timeout: 30_000 });
  await withDatabase((sql) => sql`update pinterest_accounts set status = 'reconnect_needed' where id = ${account.id}`);
  await expect(page.getByRole("listitem").getByRole("button", { name: `Reconnect ${account.username}` })).toBeVisible({
    timeout: 30_000,
  });
  await withDatabase((sql) => sql`update pinterest_accounts set status = 'connected' where id = ${account.id}`);
  await expect(page.getByRole("listitem").getByRole("button", { name: `Reconnect ${account.username}` })).toBeHidden({
    timeout: 30_000,
  });

  // The list is fetched once more after rendering; a draft created before that response would be in it.
  const listed = page.waitForResponse(POSTS);
  await page.getByRole("link", { name: "Generated Posts" }).click();
  await listed;
  await expect(picks(page)).toHaveCount(1);
  await insertGenerated(account.id, ["linen bedding"]);
  const refresh = page.getByRole("button", { name: /^Refresh\s*1 new/ });
  await expect(refresh).toBeVisible({ timeout: 30_000 });
  await expect(picks(page)).toHaveCount(1);
  await refresh.click();
  await expect(picks(page)).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Refresh", exact: true })).toBeVisible();
});

test("R-NAV-08 all tabs share one connection, which is made again when it breaks or its tab closes, and ends with the login", async ({
  page,
}) => {
  const { who } = await arrange(page, []);
  const streams: Request[] = [];
  const context = page.context();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === EVENTS) streams.push(request);
  });
  const over = new Set<Request>();
  context.on("requestfinished", (request) => over.add(request));
  context.on("requestfailed", (request) => over.add(request));
  await page.route(`**${EVENTS}`, (route) => route.abort(), { times: 1 });
  await page.goto("/app");
  await untilLive(page);
  expect(streams).toHaveLength(2);
  const second = await context.newPage();
  await second.goto("/app");
  await untilLive(second);
  expect(streams).toHaveLength(2);
  await grant(who.email, 11);
  for (const tab of [page, second]) {
    await expect(tab.getByTestId("credit-panel")).toContainText("16", { timeout: 30_000 });
  }
  await page.close();
  await grant(who.email, 12);
  await expect(second.getByTestId("credit-panel")).toContainText("28", { timeout: 30_000 });
  expect(streams).toHaveLength(3);
  expect(Number((await streams[2]?.allHeaders())?.["last-event-id"])).toBeGreaterThan(0);
  await second.getByRole("button", { name: "Logout" }).click();
  await second.waitForURL(/\/login/);
  // Either the server ends the stream with the login, or the page does when it loses the token.
  const isOver = (one: Request) => over.has(one);
  await expect.poll(() => streams.slice(2).map(isOver), { timeout: 30_000 }).toEqual([true]);
});

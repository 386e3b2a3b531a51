import { expect, type Page } from "@playwright/test";
import sharp from "sharp";
import { withDatabase } from "./support/live.ts";
import { lookAround } from "./support/looks.ts";
import { breakCall, signIn } from "./support/quick.ts";
import { download, openResults, signInWithResults, WINNER } from "./support/results.ts";
import { afterEffects, test } from "./support/test.ts";

const ACCOUNT = /\/results\/[^/]+\/\?start_date=/;
const TOP = /\/results\/[^/]+\/top-pins\//;
const REPORT = /\/results\/[^/]+\/report\//;

const finding = (page: Page) => page.locator("[data-slot=finding] h3");
const chart = (page: Page) => page.locator("[data-slot=days-chart] svg.recharts-surface");
const judged = (page: Page) => page.locator("tbody[data-part=judged] tr");
const early = (page: Page) => page.locator("tbody[data-part=early] tr:not([data-slot=report-break])");

test("A-83 the keyword that earned the click stands first, luck does not, and more of it is one click away", async ({
  page,
}) => {
  const { account } = await signInWithResults(page);
  await openResults(page);
  await expect(finding(page)).toHaveText(WINNER);
  await expect(page.locator("[data-slot=finding]")).toContainText("The keyword whose pins are clicked most often");
  await expect(judged(page).first().getByRole("rowheader")).toContainText(WINNER);
  await expect(judged(page).first()).toContainText(/likely \d\.\d% to \d\.\d%/);
  await expect(judged(page)).toHaveCount(4);
  await page.getByRole("button", { name: "Show 2 more of 10 keywords" }).press("Enter");
  await expect(early(page)).toHaveCount(6);
  await expect(early(page).first()).toContainText("Too early to tell");

  const csv = await download(page, /^CSV of this table/);
  expect(csv.name).toMatch(new RegExp(`^${account.username}-results-by-keyword-\\d{4}-\\d\\d-\\d\\d-to-.+\\.csv$`));
  const lines = csv.bytes.toString("utf8").split("\r\n");
  expect(lines).toHaveLength(12);
  expect(lines[1]).toMatch(new RegExp(`^"${WINNER}","3","3","10800","900","450","180","0\\.0416`));
  expect(lines[5]).toContain('"Too early to tell"');

  const tab = page.getByRole("tab", { name: "Keyword" });
  await tab.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Board" })).toBeFocused();
  await expect(page).toHaveURL(/by=board/);
  await expect(judged(page).getByRole("rowheader")).toHaveCount(1);
  await expect(judged(page).getByRole("rowheader")).not.toContainText(/^Board \d/);
  await page.reload();
  await expect(page.getByRole("tab", { name: "Board", selected: true })).toBeVisible();
  await page.getByRole("tab", { name: "Link" }).click();
  await expect(page).toHaveURL(/by=link/);
  await page.goBack();
  await expect(page.getByRole("tab", { name: "Board", selected: true })).toBeVisible();

  await page.getByRole("tab", { name: "Keyword" }).click();
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(page).toHaveURL(/days=7/);
  await page.locator("[data-slot=finding]").getByRole("link", { name: "More like this" }).click();
  await expect(page.getByLabel("Keyword 1", { exact: true })).toHaveValue(WINNER);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "7 days" })).toBeChecked();
  await expect(chart(page)).toBeVisible();
  await expect(page).toHaveURL(/days=7/);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "30 days" })).toBeChecked();
});

test("A-83 a script that does not arrive costs the chart and nothing else", async ({ page }) => {
  await signInWithResults(page, [{ keyword: WINNER, pins: 1, impressions: 100, clicks: 3 }]);
  await page.route(/\/_next\/static\/chunks\/[^?]+\.js/, async (route) => {
    const answer = await route.fetch();
    if ((await answer.text()).includes("recharts-cartesian-grid")) await route.abort();
    else await route.fulfill({ response: answer });
  });
  await openResults(page);
  await expect(page.getByText("The chart could not be loaded. The table has the same figures.")).toBeVisible();
  await expect(finding(page)).toHaveText(WINNER);
  await page.getByRole("button", { name: "Show as a table" }).click();
  await expect(page.getByRole("table", { name: "Figures by day, in UTC" })).toBeVisible();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: /^Try again ?: the chart/ }).click();
  await expect(chart(page)).toBeVisible();
});

test("A-83 days: spans, chosen ones, and those that cannot be shown; the chart has its table, its CSV and its picture", async ({
  page,
}) => {
  const { account } = await signInWithResults(page);
  await openResults(page, "?from=2020-01-01&to=2020-01-07");
  await expect(page.getByText("Choose a later first day.")).toBeVisible();
  await expect(page.getByText(/^Not those days\. Shown are/)).toBeVisible();
  await expect(finding(page)).toHaveText(WINNER);
  await expect(chart(page)).toBeVisible();
  const [first, last] = [page.getByLabel("First day"), page.getByLabel("Last day")];
  const [from = "", to = ""] = [await first.getAttribute("min"), await first.getAttribute("max")];
  const show = page.getByRole("button", { name: "Show these days" });
  await first.fill(to ?? "");
  await last.fill(from ?? "");
  await show.click();
  await expect(last).toHaveAccessibleDescription("The last day comes before the first.");
  await expect(last).toBeFocused();
  await first.fill(from ?? "");
  await last.fill("2199-01-01");
  await show.click();
  await expect(last).toHaveAccessibleDescription("These days have not come yet.");
  await last.fill(to ?? "");
  await show.click();
  await expect(page).toHaveURL(new RegExp(`from=${from}&to=${to}`));
  await expect(page.getByText("Not final: Pinterest still counts")).toBeVisible();

  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(page).toHaveURL(/days=7/);
  await expect(page.getByText("All 7 days are final. Compared with the 7 days before.")).toBeVisible();
  await page.getByRole("radio", { name: /^Saves/ }).check();
  await expect(page).toHaveURL(/figure=saves/);
  await expect(chart(page)).toBeVisible();
  await page.getByRole("button", { name: "Show as a table" }).press("Enter");
  const table = page.getByRole("table", { name: "Figures by day, in UTC" });
  await expect(table.getByRole("row")).toHaveCount(8);

  const days = await download(page, /^CSV of the days/);
  expect(days.bytes.toString("utf8").split("\r\n")[1]).toMatch(
    /^"\d{4}-\d\d-\d\d","Final","\d+","\d+","\d+","\d+","\d+"$/,
  );
  const picture = await download(page, /^PNG of the chart/);
  expect(picture.name).toMatch(new RegExp(`^${account.username}-saves-.+\\.png$`));
  const { width, format } = await sharp(picture.bytes).metadata();
  const { channels } = await sharp(picture.bytes).stats();
  expect(format).toBe("png");
  expect(width).toBeGreaterThan(1_000);
  expect(Math.max(...channels.map(({ stdev }) => stdev)), "more than one colour").toBeGreaterThan(5);
});

test("A-83, QUALITY: one part that fails leaves the others, and says what can be done", async ({ page }) => {
  await signInWithResults(page);
  await breakCall(page, ACCOUNT, 503);
  await breakCall(page, TOP, 422);
  await breakCall(page, REPORT, 500);
  await openResults(page);
  const troubles = page.locator(".banner").filter({ hasText: "could not be read" });
  await expect(troubles).toHaveCount(3);
  // What the server painted is still there.
  await expect(finding(page)).toHaveText(WINNER);
  await expect(troubles.filter({ hasText: "The top pins" }).getByRole("button")).toHaveCount(0);
  await page.getByRole("button", { name: /^Try again ?: The account’s figures/ }).click();
  await expect(chart(page)).toBeVisible();
  await expect(page.getByRole("heading", { name: "The account day by day" })).toBeFocused();
  await expect(page.getByText(/Read from Pinterest at \d+:\d\d [AP]M\./)).toHaveCount(1);
  await page.getByRole("button", { name: /^Try again ?: These results/ }).click();
  await expect(troubles).toHaveCount(1);

  await breakCall(page, REPORT, 503);
  const shown = (await page.locator("[data-slot=range-words] b").textContent()) ?? "";
  await page.getByRole("tab", { name: "Weekday" }).click();
  await expect(page.getByText(`Still showing ${shown}, by keyword.`)).toBeVisible();
  await expect(page.getByRole("tabpanel")).toHaveAttribute("aria-busy", "false");
  await expect(page.getByRole("tabpanel")).toHaveCSS("opacity", "1");
  await expect(page.getByRole("button", { name: /^CSV of this table/ })).toBeDisabled();
  await page.getByRole("button", { name: /^Try again ?: These results/ }).press("Enter");
  await expect(page.getByRole("rowheader", { name: /day$/ }).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "What earned the click" })).toBeFocused();

  await breakCall(page, ACCOUNT, 409);
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(troubles.getByRole("button", { name: "Reconnect" })).toBeVisible();
  await breakCall(page, REPORT, 404);
  // The choice goes with the screen: there may be nothing left that is checked.
  await page.getByRole("radio", { name: "90 days" }).click();
  await expect(page.getByRole("heading", { name: /is no longer connected$/ })).toBeVisible();
});

test("A-83 a lost connection says what it means for the figures, and has a way out", async ({ page }) => {
  const { account } = await signInWithResults(page, [{ keyword: WINNER, pins: 2, impressions: 100, clicks: 3 }]);
  await withDatabase((sql) => sql`update pinterest_accounts set status = 'reconnect_needed' where id = ${account.id}`);
  await openResults(page);
  await expect(finding(page)).toHaveText(WINNER);
  const part = page.getByRole("region", { name: "What earned the click" });
  const line = part.locator(".banner");
  await expect(line).toContainText("those shown are not renewed: they go within a day.");
  await expect(line).not.toContainText("missing");
  await withDatabase((sql) => sql`delete from pin_figures where account_id = ${account.id}`);
  await openResults(page);
  await expect(finding(page)).toHaveText("No figures yet");
  await expect(part.locator("[data-slot=finding]")).toContainText("can be fetched once the account is connected again");
  await expect(line).toContainText("This account’s connection to Pinterest is lost.");
  await expect(line.getByRole("button", { name: "Try again" })).toHaveCount(0);
  await expect(part.locator("[data-slot=gather]").getByRole("status")).toContainText(
    "The connection to Pinterest is lost.",
  );
  const consent = page.waitForRequest((request) => request.url().includes(`account_id=${account.id}`));
  await line.getByRole("button", { name: "Reconnect to fetch figures" }).press("Enter");
  expect(new URL((await consent).url()).pathname).toBe("/api/users/pinterest/auth/");
  await expect(page).toHaveURL(/client_id=/);
});

test("A-83 a pin among the best opens its details; without an account, or pins, one step is offered", async ({
  page,
}) => {
  await signIn(page);
  await openResults(page);
  await expect(page.getByRole("link", { name: "Connect Account" })).toHaveAttribute("href", "/app");
  await signInWithResults(page, [{ keyword: WINNER, pins: 1, impressions: 0, clicks: 0 }]);
  await openResults(page);
  await expect(finding(page)).toHaveText("Too early to tell");
  const card = page.getByRole("list", { name: "Top pins" }).getByRole("listitem").first();
  await expect(card.getByRole("link", { name: /^See it/ })).toBeVisible();
  await card.getByRole("button", { name: /^Pin Details/ }).click();
  await expect(page.getByRole("dialog", { name: "Pin Details" })).toContainText(`${WINNER} 1`);
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await expect(card.getByRole("button", { name: /^Pin Details/ })).toBeFocused();
});

test("A-83 Analytics at three widths in both themes", { tag: "@screens" }, async ({ page }) => {
  await signInWithResults(page);
  await openResults(page);
  await lookAround(page, "analytics", async () => {
    await expect(chart(page)).toBeVisible();
    await expect(page.locator("[data-slot=top-pin]").first()).toBeVisible();
    await expect(page.locator("[data-slot=finding-pins] img")).toHaveCount(3);
  });
});

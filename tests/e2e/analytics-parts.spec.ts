import { expect, type Page } from "@playwright/test";
import sharp from "sharp";
import { holdCall } from "./support/hold-call.ts";
import { dress, THEMES } from "./support/looks.ts";
import { breakCall } from "./support/quick.ts";
import { download, openResults, signInWithResults, WINNER } from "./support/results.ts";
import { test } from "./support/test.ts";

const ACCOUNT = "**/api/users/pinterest/results/*/?start_date=*";
const POST = /\/generated-pins\/.*ids=/;

const chart = (page: Page) => page.locator("[data-slot=days-chart] svg.recharts-surface");
const asTable = (page: Page) => page.getByRole("button", { name: /^(Show as a|Hide the) table$/ });
const daysTable = (page: Page) => page.getByRole("table", { name: "Figures by day, in UTC" });
const one = [{ keyword: WINNER, pins: 1, impressions: 100, clicks: 3 }];

test("A-83 fifty more rows come at a time: reading goes on with the first new one, and the first eight are one press away", async ({
  page,
}) => {
  const plots = Array.from({ length: 70 }, (_, n) => ({
    keyword: `plan ${n + 1}`,
    pins: 1,
    impressions: 200,
    clicks: 3,
  }));
  await signInWithResults(page, plots);
  await openResults(page);
  const report = page.locator("[data-slot=report]");
  const rows = report.locator("tbody tr");
  const count = report.getByRole("status");
  const button = (name: string) => report.getByRole("button", { name, exact: true });
  await expect(count).toHaveText("70 keywords, the first 8 shown");
  await expect(rows).toHaveCount(8);
  await button("Show 50 more of 70 keywords").press("Enter");
  await expect(rows).toHaveCount(58);
  await expect(count).toHaveText("70 keywords, the first 58 shown");
  await expect(button("Show 12 more of 70 keywords")).toBeFocused();
  await expect(rows.nth(8)).toBeInViewport();
  await button("Show the first 8").click();
  await expect(rows).toHaveCount(8);
  await expect(count).toBeInViewport();
  await expect(button("Show 50 more of 70 keywords")).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(58);
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(70);
  await expect(count).toHaveText("70 keywords");
  await expect(button("Show the first 8")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(8);
  await expect(count).toBeInViewport();

  const [head, first] = [await button("CSV of this table").boundingBox(), await rows.first().boundingBox()];
  expect((head?.y ?? 0) + (head?.height ?? 0), "the files stand at the head").toBeLessThan(first?.y ?? 0);
  expect((await download(page, /^CSV of this table/)).bytes.toString("utf8").split("\r\n")).toHaveLength(72);
});

test("A-83 ninety days say how many of them are final, and no table is promised while there is none", async ({
  page,
}) => {
  await signInWithResults(page, one);
  await openResults(page);
  await asTable(page).click();
  await expect(daysTable(page).getByRole("row")).toHaveCount(31);
  await expect(asTable(page)).toHaveAttribute("aria-expanded", "true");
  const held = await holdCall(page, ACCOUNT);
  await page.getByRole("radio", { name: "90 days" }).check();
  await expect(page.locator("[data-slot=range-words]").getByRole("status")).toContainText(
    "These are 88 days: of the 90 that Pinterest keeps, the last two are not final yet.",
  );
  await expect.poll(held.count).toBe(1);
  await expect(asTable(page)).toHaveText("Show as a table");
  await expect(asTable(page)).toBeDisabled();
  await expect(asTable(page)).toHaveAttribute("aria-expanded", "false");
  await expect(daysTable(page)).toHaveCount(0);
  held.release();
  await expect(daysTable(page).getByRole("row")).toHaveCount(89);
  await expect(asTable(page)).toHaveAttribute("aria-expanded", "true");
  // Days also change without their own buttons: what has the focus keeps it, and does nothing meanwhile.
  const again = await holdCall(page, ACCOUNT);
  await asTable(page).focus();
  await page.goBack();
  await expect(page.getByRole("radio", { name: "30 days" })).toBeChecked();
  await expect(asTable(page)).toBeDisabled();
  await expect(asTable(page)).toBeFocused();
  await page.keyboard.press("Enter");
  again.release();
  await expect(daysTable(page).getByRole("row")).toHaveCount(31);
  await expect(asTable(page)).toBeFocused();
  await dress(page, 390, "light");
  const day = await daysTable(page).getByRole("rowheader").first().boundingBox();
  expect(day?.height, "a day stands in one line on a phone").toBeLessThan(50);
});

test("A-83 days without any figure are hatched, days of nothing are a line at nought", async ({ page }) => {
  await signInWithResults(page, one);
  let change = (day: object): object => day;
  await page.route(ACCOUNT, async (route) => {
    const answer = await route.fetch();
    const wire: { days: object[]; sums: object } = await answer.json();
    const days = wire.days.map((day) => change(day));
    await route.fulfill({ response: answer, json: { ...wire, days } });
  });
  const none = { impressions: 0, engagements: 0, pin_clicks: 0, outbound_clicks: 0, saves: 0 };
  change = (day) => ({ ...day, figures: none });
  await openResults(page);
  await expect(chart(page)).toBeVisible();
  const ticks = page.locator("[data-slot=days-chart] .recharts-yAxis-tick-labels text");
  await expect(ticks.first()).toHaveText("0");
  const line = page.locator("[data-slot=days-chart] path.recharts-line-curve");
  const dots = page.locator("[data-slot=days-chart] .recharts-line-dot");
  await expect(dots).toHaveCount(30);
  const [ground, drawn] = [await ticks.first().boundingBox(), await line.boundingBox()];
  expect(Math.abs((drawn?.y ?? 0) - ((ground?.y ?? 0) + (ground?.height ?? 0) / 2))).toBeLessThan(6);
  await expect(page.locator("[data-slot=days-chart] .recharts-reference-area")).toHaveCount(0);
  await expect(page.locator("[data-slot=chart-legend]")).toHaveText(/^\s*Impressions\s*$/);

  change = (day) => ({ ...day, status: "unknown", figures: null });
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(page.locator("[data-slot=chart-legend]")).toContainText("Pinterest told nothing");
  await expect(page.locator("[data-slot=days-chart] .recharts-reference-area")).toHaveCount(1);
  await expect(dots).toHaveCount(0);
  await asTable(page).click();
  await expect(daysTable(page).getByRole("cell", { name: "Pinterest told nothing" })).toHaveCount(7);
  expect((await download(page, /^PNG of the chart/)).bytes.length).toBeGreaterThan(1_000);
});

test("A-83 the best pins by another figure: in the address, in their order; a pin that cannot be opened says so", async ({
  page,
}) => {
  await signInWithResults(page, [{ keyword: WINNER, pins: 9, impressions: 100, clicks: 3 }]);
  await openResults(page);
  const by = page.getByRole("combobox", { name: "Best by" });
  const figures = page.locator("[data-slot=top-figure]");
  await expect(figures.first()).toContainText("impressions");
  await by.focus();
  await by.selectOption("By saves");
  await expect(page).toHaveURL(/top=saves/);
  await expect(figures.first()).toHaveText(/^[\d,]+ saves$/);
  await expect(by).toBeFocused();
  const saves = (await figures.locator("b").allTextContents()).map((text) => Number(text.replaceAll(",", "")));
  expect(saves.length).toBeGreaterThan(3);
  expect(saves).toEqual(saves.toSorted((a, b) => b - a));
  await page.reload();
  await expect(by).toHaveValue("saves");
  await expect(figures.first()).toContainText("saves");

  await breakCall(page, POST, 500);
  const opener = page.getByRole("button", { name: /^Pin Details/ }).first();
  await opener.press("Enter");
  await expect(page.getByText("This pin could not be opened. Please try again.")).toBeVisible();
  await expect(page.getByRole("dialog", { name: "Pin Details" })).toHaveCount(0);
  await expect(opener).toBeFocused();
  await opener.press("Enter");
  await expect(page.getByRole("dialog", { name: "Pin Details" })).toBeVisible();
});

/** A colour of the page in red, green and blue, however its style sheet writes it. */
const colourOf = (page: Page, selector: string, property: string): Promise<number[]> =>
  page.locator(selector).evaluate((element, name) => {
    const pen = new OffscreenCanvas(1, 1).getContext("2d");
    if (!pen) throw new Error("There is no canvas.");
    pen.fillStyle = getComputedStyle(element).getPropertyValue(name);
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, property);

/** The picture's lowest strip, where its legend stands: how many points have this colour, and where the last is. */
const findIn = async (picture: Buffer, colour: readonly number[]): Promise<{ points: number; lastX: number }> => {
  const { height = 0, width = 0 } = await sharp(picture).metadata();
  const strip = { left: 0, top: height - 96, width, height: 96 };
  const { data, info } = await sharp(picture).extract(strip).raw().toBuffer({ resolveWithObject: true });
  let [points, lastX] = [0, 0];
  for (let at = 0; at < data.length; at += info.channels) {
    if (colour.some((value, n) => Math.abs(value - (data[at + n] ?? 0)) > 12)) continue;
    points += 1;
    lastX = Math.max(lastX, (at / info.channels) % width);
  }
  return { points, lastX };
};

test("A-83 the chart's picture carries its legend, in both themes", async ({ page }) => {
  await signInWithResults(page, one);
  await openResults(page, "?days=7");
  for (const theme of THEMES) {
    await dress(page, 1440, theme);
    await page.getByRole("radio", { name: "7 days" }).check();
    await expect(page.locator("[data-slot=legend-line]")).toBeVisible();
    await expect(page.locator("[data-slot=legend-hatch]")).toHaveCount(0);
    await expect(chart(page)).toBeVisible();
    const accent = await colourOf(page, "[data-slot=legend-line]", "background-color");
    const ink = await colourOf(page, "[data-slot=chart-legend]", "color");
    const final = (await download(page, /^PNG of the chart/)).bytes;
    expect((await findIn(final, accent)).points, `${theme}: the line`).toBeGreaterThan(80);
    const word = await findIn(final, ink);
    expect(word.points, `${theme}: its word`).toBeGreaterThan(40);

    await page.getByRole("radio", { name: "Other" }).check();
    const last = page.getByLabel("Last day");
    await last.fill((await last.getAttribute("max")) ?? "");
    await page.getByRole("button", { name: "Show these days" }).click();
    await expect(page.locator("[data-slot=legend-hatch]")).toBeVisible();
    await expect(page.locator("[data-slot=days-chart] .recharts-reference-area")).toHaveCount(1);
    const open = (await download(page, /^PNG of the chart/)).bytes;
    const words = await findIn(open, ink);
    expect(words.lastX - word.lastX, `${theme}: the hatch and its words`).toBeGreaterThan(300);
    expect(words.points).toBeGreaterThan(2 * word.points);
  }
});

test("A-83 days, groups and figures are chosen by the keyboard alone", async ({ page }) => {
  await signInWithResults(page);
  await openResults(page);
  await expect(chart(page)).toBeVisible();
  await page.getByRole("radio", { name: "30 days" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("radio", { name: "7 days" })).toBeChecked();
  await expect(page).toHaveURL(/days=7/);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tab", { name: "Keyword" })).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("tab", { name: "Link", selected: true })).toBeFocused();
  await expect(page).toHaveURL(/by=link/);
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Keyword", selected: true })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tabpanel", { name: "Board" })).toHaveAttribute("aria-busy", "false");
  const figure = page.getByRole("radio", { name: /^Impressions/ });
  const isThere = () => figure.evaluate((element) => element === document.activeElement);
  for (let steps = 0; steps < 20 && !(await isThere()); steps += 1) await page.keyboard.press("Tab");
  await expect(figure).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: /^Engagements/ })).toBeFocused();
  await expect(page).toHaveURL(/figure=engagements/);
  await expect(page.getByRole("img", { name: /^The days by their engagements/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(asTable(page)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(daysTable(page).getByRole("row")).toHaveCount(8);
});

import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import {
  ACCOUNT,
  daysOf,
  done,
  openAnalytics,
  POST,
  REPORT,
  reportOf,
  reportRow,
  SYNCED,
  TOP,
  VARIANTS,
  WINNER,
} from "#tests/support/component/analytics.tsx";
import { failWith, pendingResponse, type RecordedCall } from "#tests/support/component/calls.ts";
import { colorOf } from "#tests/support/component/colors.ts";
import { catchDownloads } from "#tests/support/component/downloads.ts";
import { pinWire } from "#tests/support/component/wires.ts";

afterEach(() => {
  vi.restoreAllMocks();
  document.documentElement.className = "";
});

const asTable = /^(Show as a|Hide the) table$/;

test("A-83 shows fifty more rows at a time, and returns to the first eight with one press", async () => {
  const { container, button, rows } = await openAnalytics({
    report: { rows: Array.from({ length: 70 }, (_, n) => reportRow(`plan ${n + 1}`)) },
  });
  const count = () => container.querySelector("[data-slot=report] [role=status]");
  const isInView = () => {
    const { top = -1, bottom = Infinity } = count()?.getBoundingClientRect() ?? {};
    return top >= 0 && bottom <= window.innerHeight;
  };
  expect(count()?.textContent).toBe("Showing 8 of 70 keywords");
  expect(rows()).toHaveLength(8);
  await button("Show 50 more of 70 keywords").click();
  await expect.poll(() => rows().length).toBe(58);
  expect(count()?.textContent).toBe("Showing 58 of 70 keywords");
  await expect.element(button("Show 12 more of 70 keywords")).toHaveFocus();
  await button("Show the first 8").click();
  await expect.poll(() => rows().length).toBe(8);
  await expect.poll(isInView).toBe(true);
  await expect.element(button("Show 50 more of 70 keywords")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => rows().length).toBe(58);
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => rows().length).toBe(70);
  expect(count()?.textContent).toBe("70 keywords");
  await expect.element(button("Show the first 8")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => rows().length).toBe(8);
  await expect.poll(isInView).toBe(true);
  const head = button(/^CSV of this table/)
    .element()
    .getBoundingClientRect();
  expect(head.bottom, "the export is above the rows").toBeLessThan(rows()[0]?.getBoundingClientRect().top ?? 0);
  const csv = await catchDownloads().next(() => button(/^CSV of this table/).click());
  expect(csv.text.split("\r\n")).toHaveLength(72);
});

test("A-83 ninety days say how many are final, and the table button is disabled while loading", async () => {
  const held = pendingResponse();
  const { container, calls, button, radio, daysTable, screen } = await openAnalytics();
  const rowsOf = () => daysTable.getByRole("row").elements().length;
  await button(asTable).click();
  await expect.poll(rowsOf).toBe(31);
  await expect.element(button(asTable)).toHaveAttribute("aria-expanded", "true");
  calls.set({ [ACCOUNT]: held.hold });
  await radio("90 days").click();
  const words = () => container.querySelector("[data-slot=range-summary] [role=status]")?.textContent;
  await expect.poll(words).toContain("Showing 88 days. Pinterest keeps 90, and the last two aren't final yet.");
  await expect.element(button("Show as a table")).toHaveAttribute("aria-disabled", "true");
  await expect.element(button(asTable)).toHaveAttribute("aria-expanded", "false");
  await expect.element(daysTable).not.toBeInTheDocument();
  await held.answer(daysOf()(calls.to(ACCOUNT).at(-1) as RecordedCall));
  await expect.poll(rowsOf).toBe(89);
  await expect.element(button(asTable)).toHaveAttribute("aria-expanded", "true");
  // Days can also change by going back: the focused button keeps the focus and does nothing meanwhile.
  (button(asTable).element() as HTMLElement).focus();
  history.back();
  await expect.element(radio("30 days")).toBeChecked();
  await expect.element(button(asTable)).toHaveAttribute("aria-disabled", "true");
  await expect.element(button(asTable)).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await held.answer(daysOf()(calls.to(ACCOUNT).at(-1) as RecordedCall));
  await expect.poll(rowsOf).toBe(31);
  await expect.element(button(asTable)).toHaveFocus();
  await page.viewport(390, 844);
  const day = screen.getByRole("rowheader", { name: /2026/ }).first().element().getBoundingClientRect();
  expect(day.height, "a day fits in one line on a phone").toBeLessThan(50);
});

test("A-83 days without data are hatched, days of zeros are a line at zero", async () => {
  const none = { impressions: 0, engagements: 0, pin_clicks: 0, outbound_clicks: 0, saves: 0 };
  const { container, calls, chart, radio, button, daysTable } = await openAnalytics({
    answers: { [ACCOUNT]: daysOf({ status: "ready", figures: none }) },
  });
  await expect.poll(chart).toBeTruthy();
  const all = (selector: string) => [...container.querySelectorAll(`[data-slot=days-chart] ${selector}`)];
  await expect.poll(() => all(".recharts-line-dot").length).toBe(30);
  const tick = all(".recharts-yAxis-tick-labels text")[0];
  expect(tick?.textContent).toBe("0");
  const [ground, line] = [tick?.getBoundingClientRect(), all("path.recharts-line-curve")[0]?.getBoundingClientRect()];
  expect(Math.abs((line?.y ?? 0) - ((ground?.y ?? 0) + (ground?.height ?? 0) / 2))).toBeLessThan(6);
  expect(all(".recharts-reference-area")).toHaveLength(0);
  const legend = () => container.querySelector("[data-slot=chart-legend]")?.textContent?.trim();
  expect(legend()).toBe("Impressions");

  calls.set({ [ACCOUNT]: daysOf({ status: "unknown", figures: null }) });
  await radio("7 days").click();
  await expect.poll(legend).toContain("No data from Pinterest");
  await expect.poll(() => all(".recharts-reference-area").length).toBe(1);
  expect(all(".recharts-line-dot")).toHaveLength(0);
  await button(asTable).click();
  await expect.poll(() => daysTable.getByRole("cell", { name: "No data from Pinterest" }).elements().length).toBe(7);
  expect((await catchDownloads().next(() => button(/^PNG of the chart/).click())).blob.size).toBeGreaterThan(1_000);
});

test("A-83 top pins by another metric: kept in the URL, in order; a pin opens its details, or says why not", async () => {
  const { container, screen, calls } = await openAnalytics({
    answers: {
      "ACTION readRegenerationAction": done,
      "ACTION readPinAction": done,
      "ACTION readPlanNotesAction": { ok: true, value: [] },
    },
  });
  const by = screen.getByRole("combobox", { name: "Sort by" });
  const figures = () => [...container.querySelectorAll("[data-slot=top-figure]")].map((one) => one.textContent);
  await expect.poll(figures).toEqual(["30 impressions", "20 impressions", "10 impressions"]);
  await by.selectOptions("By saves");
  await expect.poll(() => location.search).toContain("top=saves");
  await expect.poll(figures).toEqual(["30 saves", "20 saves", "10 saves"]);
  calls.set({ [POST]: failWith(500, {}) });
  const opener = screen.getByRole("button", { name: /^Pin Details/ }).first();
  const details = screen.getByRole("dialog", { name: "Pin Details" });
  await opener.click();
  await expect.element(screen.getByText("We couldn't open this pin. Please try again.")).toBeVisible();
  await expect.element(details).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
  calls.set({ [POST]: { posts: [pinWire({ id: "pin_0", title: `${WINNER} 1`, status: "published" })] } });
  await userEvent.keyboard("{Enter}");
  await expect.element(details.getByText(`${WINNER} 1`).first()).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(opener).toHaveFocus();
});

/** Reads the legend strip of the image: how many pixels have this color, and the last x position. */
const findIn = async (image: Blob, color: readonly number[]): Promise<{ points: number; lastX: number }> => {
  const bitmap = await createImageBitmap(image);
  const { width, height } = bitmap;
  const pen = new OffscreenCanvas(width, 96).getContext("2d");
  if (!pen) throw new Error("There is no canvas.");
  pen.drawImage(bitmap, 0, 96 - height);
  const { data } = pen.getImageData(0, 0, width, 96);
  let [points, lastX] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    if (color.some((value, n) => Math.abs(value - (data[at + n] ?? 0)) > 12)) continue;
    points += 1;
    lastX = Math.max(lastX, (at / 4) % width);
  }
  return { points, lastX };
};

test("A-83 the exported chart image includes its legend, in both themes", async () => {
  await page.viewport(1440, 1000);
  const { container, chart, screen, radio, button } = await openAnalytics({ query: "days=7" });
  const downloads = catchDownloads();
  const image = () => downloads.next(() => button(/^PNG of the chart/).click());
  const has = (selector: string) => () => container.querySelector(selector) !== null;
  for (const theme of ["light", "dark"]) {
    document.documentElement.className = theme;
    await radio("7 days").click();
    await expect.poll(has("[data-slot=chart-legend] > span:nth-child(1) > i")).toBe(true);
    await expect.poll(has("[data-slot=chart-legend] > span:nth-child(2) > i")).toBe(false);
    await expect.poll(chart).toBeTruthy();
    const accent = colorOf("[data-slot=chart-legend] > span:nth-child(1) > i", "background-color");
    const ink = colorOf("[data-slot=chart-legend]", "color");
    const final = await image();
    expect(final.name).toMatch(/^fern-impressions-.+\.png$/);
    expect((await findIn(final.blob, accent)).points, `${theme}: the line`).toBeGreaterThan(80);
    const word = await findIn(final.blob, ink);
    expect(word.points, `${theme}: its word`).toBeGreaterThan(40);

    await radio("Custom").click();
    await screen.getByLabelText("End date").fill("2026-11-23");
    await button("Show these dates").click();
    await expect.poll(has("[data-slot=chart-legend] > span:nth-child(2) > i")).toBe(true);
    await expect.poll(has("[data-slot=days-chart] .recharts-reference-area")).toBe(true);
    const words = await findIn((await image()).blob, ink);
    expect(words.lastX - word.lastX, `${theme}: the hatch and its words`).toBeGreaterThan(300);
    expect(words.points).toBeGreaterThan(2 * word.points);
  }
});

test("A-83 days, groups and metrics work by keyboard alone", async () => {
  const { screen, chart, radio, tab, button, daysTable } = await openAnalytics();
  await expect.poll(chart).toBeTruthy();
  (radio("30 days").element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowLeft}");
  await expect.element(radio("7 days")).toBeChecked();
  await expect.poll(() => location.search).toContain("days=7");
  await userEvent.keyboard("{Tab}");
  await expect.element(tab("Keyword")).toHaveFocus();
  await userEvent.keyboard("{End}");
  await expect.element(tab("Link")).toHaveFocus();
  await expect.poll(() => location.search).toContain("by=link");
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(tab("Keyword")).toHaveFocus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(screen.getByRole("tabpanel", { name: "Board" })).toHaveAttribute("aria-busy", "false");
  const figure = radio(/^Impressions/).element();
  for (let steps = 0; steps < 20 && document.activeElement !== figure; steps += 1) await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(figure);
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(radio(/^Engagements/)).toHaveFocus();
  await expect.poll(() => location.search).toContain("figure=engagements");
  await expect.element(screen.getByRole("img", { name: /^Chart of engagements by day/ })).toBeVisible();
  await userEvent.keyboard("{Tab}");
  await expect.element(button(asTable)).toHaveFocus();
  await userEvent.keyboard(" ");
  await expect.poll(() => daysTable.getByRole("row").elements().length).toBe(8);
});

test("A-83 invalid custom dates show an error at their field; valid ones are kept in the URL", async () => {
  const { screen, radio, button, daysTable } = await openAnalytics({ query: "from=2020-01-01&to=2020-01-07" });
  await expect.element(screen.getByText(/Choose a later start date\./)).toBeVisible();
  await expect.element(screen.getByText(/^We can't show those dates\. Showing/)).toBeVisible();
  const [first, last] = [screen.getByLabelText("Start date"), screen.getByLabelText("End date")];
  const show = button("Show these dates");
  await first.fill("2026-11-23");
  await last.fill("2026-08-26");
  await show.click();
  await expect.element(last).toHaveAccessibleDescription("The end date is before the start date.");
  await expect.element(last).toHaveFocus();
  await first.fill("2026-08-26");
  await last.fill("2199-01-01");
  await show.click();
  await expect.element(last).toHaveAccessibleDescription("Choose an end date that isn't in the future.");
  await last.fill("2026-11-23");
  await show.click();
  await expect.poll(() => location.search).toContain("from=2026-08-26&to=2026-11-23");
  await expect.element(screen.getByText("Not final: Pinterest is still counting")).toBeVisible();
  await radio("7 days").click();
  await expect.element(screen.getByText(/All 7 days are final\. Compared with the 7 days before\./)).toBeVisible();
  await radio(/^Saves/).click();
  await expect.poll(() => location.search).toContain("figure=saves");
  await button("Show as a table").click();
  await expect.poll(() => daysTable.getByRole("row").elements().length).toBe(8);
  const csv = await catchDownloads().next(() => button(/^CSV of daily metrics/).click());
  expect(csv.text.split("\r\n")[1]).toBe('"2026-11-15","Final","100","40","20","10","5"');
});

test("A-83 a section that fails leaves the others alone and says what can be done", async () => {
  const { screen, container, calls, button, radio, tab, chart, troubles } = await openAnalytics({
    answers: { [ACCOUNT]: failWith(503, {}), [TOP]: failWith(422, {}), [REPORT]: failWith(400, {}) },
  });
  await expect.poll(() => troubles().length).toBe(3);
  // The server-rendered report is still there.
  expect(container.querySelector("[data-slot=finding] h3")?.textContent).toBe(WINNER);
  const top = troubles().find((one) => one.textContent?.includes("The top pins"));
  expect(top?.querySelector("button")).toBeNull();
  calls.set({ [ACCOUNT]: daysOf() });
  await button(/^Try again ?: The account's metrics/).click();
  await expect.poll(chart).toBeTruthy();
  await expect.element(screen.getByRole("heading", { name: "Account performance by day" })).toHaveFocus();
  await expect.element(screen.getByText(/Data from Pinterest as of \d+:\d\d [AP]M\./)).toBeVisible();
  calls.set({ [REPORT]: (call: RecordedCall) => reportOf(call) });
  await button(/^Try again ?: This report/).click();
  await expect.poll(() => troubles().length).toBe(1);

  calls.set({ [REPORT]: failWith(400, {}) });
  const shown = container.querySelector("[data-slot=range-summary] b")?.textContent;
  await tab("Weekday").click();
  await expect.element(screen.getByText(`Still showing ${shown}, by keyword.`)).toBeVisible();
  const panel = screen.getByRole("tabpanel");
  await expect.element(panel).toHaveAttribute("aria-busy", "false");
  await expect.poll(() => getComputedStyle(panel.element()).opacity).toBe("1");
  await expect.element(button(/^CSV of this table/)).toBeDisabled();
  calls.set({ [REPORT]: (call: RecordedCall) => reportOf(call, { rows: [reportRow("1", { label: "Monday" })] }) });
  await button(/^Try again ?: This report/).click();
  await expect.element(screen.getByRole("rowheader", { name: "Monday" })).toBeVisible();
  await expect.element(screen.getByRole("heading", { name: "What's getting clicks" })).toHaveFocus();

  calls.set({ [ACCOUNT]: failWith(409, {}) });
  await radio("7 days").click();
  await expect.element(button("Reconnect")).toBeVisible();
  calls.set({ [REPORT]: failWith(404, {}) });
  await radio("90 days").click();
  await expect.element(screen.getByRole("heading", { name: /is no longer connected$/ })).toBeVisible();
});

test("A-83 a lost connection explains its effect on the metrics and offers to reconnect", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const lost = { gather: { ...SYNCED, state: "lost" as const } };
  const { screen, container } = await openAnalytics({ report: lost });
  const finding = () => container.querySelector("[data-slot=finding] h3")?.textContent;
  const line = () => container.querySelector("section [data-slot=banner]")?.textContent ?? "";
  expect(finding()).toBe(WINNER);
  await expect.poll(line).toContain("current metrics expire within a day.");
  expect(line()).not.toContain("missing");
  await screen.unmount();

  const rows = [reportRow(WINNER, { counted_pins: 0, is_undecided: true, click_rate: null })];
  const none = { ...lost.gather, counted: 0, oldest_at: null, newest_at: null };
  const bare = await openAnalytics({ report: { rows, uncounted: 1, gather: none } });
  expect(bare.container.querySelector("[data-slot=finding] h3")?.textContent).toBe("No metrics yet");
  expect(bare.container.querySelector("[data-slot=finding]")?.textContent).toContain(
    "Reconnect the account to load metrics",
  );
  const words = () => bare.container.querySelector("section [data-slot=banner]")?.textContent ?? "";
  await expect.poll(words).toContain("This account is disconnected from Pinterest.");
  expect(bare.container.querySelector("[data-slot=sync-status] [role=status]")?.textContent).toContain(
    "The account is disconnected from Pinterest.",
  );
  const AUTH = "GET /api/users/pinterest/auth/";
  bare.calls.set({ [AUTH]: failWith(503, {}) });
  await bare.button("Reconnect to load metrics").click();
  await expect.poll(() => bare.calls.to(AUTH)[0]?.query.get("account_id")).toBe("account_1");
  await expect.poll(() => logged.mock.calls.flat()).toContain("Connecting a Pinterest account failed");
});

test("A-83 shows the progress and the finding so far while a sync is running", async () => {
  const working = { ...SYNCED, state: "working" as const, published: 2_000, counted: 700 };
  const { container, screen } = await openAnalytics({ report: { gather: working } });
  await expect
    .poll(() => container.querySelector("[data-slot=sync-status]")?.textContent)
    .toContain("Metrics for 700 of 2,000 published pins");
  await expect.element(screen.getByRole("progressbar", { name: "Pins with metrics" })).toBeVisible();
  expect(container.querySelector("[data-slot=finding-lead]")?.textContent).toMatch(/^So far: /);
});

test("A-83 offers one step without an account, and has a finding without impressions", async () => {
  const none = await openAnalytics({ hasAccount: false });
  await expect.element(none.screen.getByRole("link", { name: "Connect Account" })).toHaveAttribute("href", "/app");
  await none.screen.unmount();
  const seen = { impressions: 0, pin_clicks: 0, outbound_clicks: 0, saves: 0 };
  const rows = [reportRow(WINNER, { figures: seen, is_undecided: true, click_rate: null })];
  const { container } = await openAnalytics({ report: { rows, undecided: 1, totals: seen } });
  expect(container.querySelector("[data-slot=finding] h3")?.textContent).toBe("Too early to tell");
});

const variant = (id: string, title: string, click_rate: number, published_at: string) => ({
  ...{ id, title, keyword: "slow bread", link: "https://shop.test/bread?a=1", board_id: "101", image_url: "/p.jpg" },
  ...{ published_at, impressions: 1_000, outbound_clicks: click_rate * 1_000, click_rate },
});

test("a pin that deserves a variant says why, and its link fills in the creator; variants are compared", async () => {
  const [first, second] = [
    variant("pin_1", "Slow bread", 0.021, "2026-09-01T10:00:00.000Z"),
    variant("pin_2", "Bread without hurry", 0.014, "2026-10-20T10:00:00.000Z"),
  ];
  const { screen } = await openAnalytics({
    answers: {
      [VARIANTS]: {
        ok: true,
        value: { proposals: [{ pin: first, later: [second] }], compared: [{ total: 2, pins: [first, second] }] },
      },
    },
  });
  const list = screen.getByRole("list", { name: "Ready for a new variant" });
  await expect.element(list.getByText(/^2\.1% click rate, published \d+ days ago$/)).toBeVisible();
  await expect.element(list.getByText(/^21 clicks from 1,000 impressions .* 1 later variant did worse$/)).toBeVisible();
  const href = list.getByRole("link", { name: "New variant of Slow bread" }).element().getAttribute("href") ?? "";
  const url = new URL(href, "http://here");
  expect([url.pathname, ...url.searchParams]).toEqual([
    "/app/evertack-creator",
    ["keyword", "slow bread"],
    ["url", "https://shop.test/bread?a=1"],
    ["account", "account_1"],
    ["board", "101"],
  ]);
  const table = screen.getByRole("table", { name: "https://shop.test/bread?a=1" });
  await expect.element(table.getByRole("row", { name: /^Slow bread .* 2\.1% Best$/ })).toBeVisible();
  await expect.element(table.getByRole("row", { name: /^Bread without hurry .* 1\.4%$/ })).toBeVisible();
  // Where the table is wider than the screen, it is scrolled by keyboard, too.
  await page.viewport(390, 844);
  const frame = screen.getByRole("region", { name: "Pins with the link https://shop.test/bread?a=1" }).element();
  expect(frame.scrollWidth).toBeGreaterThan(frame.clientWidth);
  if (frame instanceof HTMLElement) frame.focus();
  expect(document.activeElement).toBe(frame);
});

test("variants that can't be read say so and are read again", async () => {
  const { screen, calls } = await openAnalytics({
    answers: { [VARIANTS]: { ok: false, code: "internal", text: "Something went wrong on our side." } },
  });
  await expect.element(screen.getByText(/^The variants couldn't be loaded\./)).toBeVisible();
  calls.set({ [VARIANTS]: { ok: true, value: { proposals: [], compared: [] } } });
  await screen.getByRole("button", { name: /^Try again ?: The variants/ }).click();
  await expect.element(screen.getByText("No pins are ready for a new variant right now.")).toBeVisible();
});

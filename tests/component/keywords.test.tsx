import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { failWith, pendingResponse, unreachable } from "#tests/support/component/calls.ts";
import {
  LIST,
  LISTS,
  listWire,
  openKeywords,
  RELATED,
  relatedWire,
  SAVE,
  TRENDS,
  trendsWire,
  trendWire,
} from "#tests/support/component/keywords.tsx";

const CREATOR = "/app/evertack-creator";
const error = (code: string, text: string) => ({ error: text, message: text, code });

test("a row shows growth, searches by week, when to publish, and the account's own pins", async () => {
  const { screen, row } = await openKeywords();
  const easter = row(/easter crafts/);
  await expect.element(easter).toBeVisible();
  const cells = () => [...easter.element().querySelectorAll("td")].map(({ textContent }) => textContent);
  expect(cells()).toEqual([
    ...["+50%", "-5%", "over 10,000%", ""],
    "Publish between Feb 4 and Feb 18Peaks around Apr 1Plan in calendar",
    "3 pins, with 1,240 impressions and 12 clicks in the last 90 days",
  ]);
  const line = easter.getByRole("img", {
    name: /^Searches over the past year, peaking in the week ending .*; forecast to peak/,
  });
  await expect.element(line).toBeVisible();
  expect(line.element().querySelector("[data-slot=forecast]")?.getAttribute("stroke-dasharray")).toBe("3 3");
  const bread = row(/sourdough bread/);
  await expect.element(bread.getByText("No clear season")).toBeVisible();
  await expect.element(bread.getByText("None yet")).toBeVisible();
  expect(bread.element().querySelector("[data-slot=forecast]")).toBeNull();
  await expect.element(screen.getByRole("table", { name: "Search trends, the strongest first" })).toBeVisible();
});

test("a line below the table says when the data was read, in the user's time zone, and what limits reading", async () => {
  const { screen } = await openKeywords({
    answers: { [TRENDS]: { ...trendsWire([trendWire("moss")]), fetched_at: "2026-11-26T22:05:00.000Z" } },
  });
  const line = screen.getByText(/^Data from Pinterest as of/);
  await expect.element(line).toBeVisible();
  expect(line.element().textContent).toBe(
    "Data from Pinterest as of Nov 27, 2026, 7:05 AM. Because Pinterest limits requests (60 per minute), it can be up to a day old.",
  );
  expect(line.element().querySelector("time")?.dateTime).toBe("2026-11-26T22:05:00.000Z");
  await expect.element(screen.getByRole("table")).toBeVisible();
});

test("during and after the weeks to publish, the row says so", async () => {
  const season = (publish_from: string, publish_to: string) => ({ peak_day: "2027-01-14", publish_from, publish_to });
  const { row } = await openKeywords({
    answers: {
      [TRENDS]: trendsWire([
        trendWire("now", { season: season("2026-11-20", "2026-12-03") }),
        trendWire("late", { season: season("2026-11-01", "2026-11-15") }),
      ]),
    },
  });
  await expect.element(row(/now/).getByText("Publish now through Dec 3")).toBeVisible();
  await expect
    .element(row(/late/).getByText("The best weeks to publish have passed. You can still publish now."))
    .toBeVisible();
  // The best weeks that are left, then the days until the peak.
  for (const [name, days] of [
    ["now", "date=2026-11-27&from=2026-11-27&to=2026-12-03"],
    ["late", "date=2026-11-27&from=2026-11-27&to=2027-01-14"],
  ]) {
    await expect
      .element(row(new RegExp(`${name}`)).getByRole("link", { name: `Plan in calendar for ${name}` }))
      .toHaveAttribute("href", `/app/calendar?account=account_1&${days}`);
  }
});

test("region and kind are sent at once and kept in the URL; more filters together when applied", async () => {
  const { screen, calls, button, box } = await openKeywords({ query: "region=DE&type=seasonal&interests=beauty,moss" });
  const sent = () => Object.fromEntries(calls.to(TRENDS).at(-1)?.query ?? []);
  await expect.poll(sent).toEqual({ region: "DE", trend_type: "seasonal", interests: "beauty" });
  await screen.getByLabelText("Region").selectOptions("Australia and New Zealand");
  await expect.poll(sent).toMatchObject({ region: "AU+NZ" });
  await button("More filters (1)").click();
  await box("Beauty").click();
  await box("Travel").click();
  await box("65+").click();
  await box("Female").click();
  const count = calls.to(TRENDS).length;
  expect(sent()).toMatchObject({ interests: "beauty" });
  await button("Apply filters").click();
  await expect.poll(sent).toMatchObject({ interests: "travel", ages: "65+", genders: "female" });
  expect(calls.to(TRENDS)).toHaveLength(count + 1);
  const params = () => Object.fromEntries(new URLSearchParams(location.search));
  await expect.poll(params).toMatchObject({ region: "AU+NZ", interests: "travel", ages: "65+", genders: "female" });
  await button("Clear filters").click();
  await expect.poll(sent).toEqual({ region: "AU+NZ", trend_type: "seasonal" });
  await expect.element(button("More filters")).toHaveAttribute("aria-expanded", "true");
});

test("a search filters the trends and shows related keywords, which can be selected too", async () => {
  const { screen, calls, bar, box } = await openKeywords({
    answers: {
      [RELATED]: relatedWire("bread", {
        "rye bread": { pins: 1, counted_pins: 1, impressions: 900, outbound_clicks: 4 },
        "bread for beginners": null,
      }),
    },
  });
  const search = screen.getByRole("searchbox", { name: "Search trends" });
  // Five keywords of 100 characters, with commas and spaces.
  await expect.element(search).toHaveAttribute("maxlength", "510");
  await search.fill("bread");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => calls.to(TRENDS).at(-1)?.query.get("include_keywords")).toBe("bread");
  await expect.element(screen.getByRole("heading", { name: "Related to “bread”" })).toBeVisible();
  const related = screen.getByRole("region", { name: "Related to “bread”" });
  await expect
    .element(related.getByRole("listitem").first())
    .toHaveTextContent("rye breadYour pins: 1 pin, with 900 impressions and 4 clicks in the last 90 days");
  await expect
    .element(related.getByRole("listitem").last())
    .toHaveTextContent("bread for beginnersYour pins: None yet");
  await box("rye bread").click();
  await expect.element(bar.getByText("1 keyword selected")).toBeVisible();
  await screen.getByRole("button", { name: "Clear search" }).click();
  await expect.element(screen.getByRole("heading", { name: /^Related/ })).not.toBeInTheDocument();
  await expect.element(bar.getByText("1 keyword selected")).toBeVisible();
});

test("missing access to related keywords is one sentence beside the trends", async () => {
  const text = "Related keywords aren't available because Pinterest only provides them to apps with ads access.";
  const { screen, row } = await openKeywords({
    query: "q=bread",
    answers: { [RELATED]: failWith(422, error("refused", text)) },
  });
  await expect.element(screen.getByText(text)).toBeVisible();
  await expect.element(row(/sourdough bread/)).toBeVisible();
});

test("loading, then no trends: for all, and for a search", async () => {
  const response = pendingResponse();
  const { screen, button } = await openKeywords({
    answers: { [TRENDS]: response.hold, [RELATED]: relatedWire("", {}) },
  });
  await expect.element(screen.getByRole("status", { name: "Loading trends" })).toBeVisible();
  await response.answer(trendsWire([]));
  await expect.element(screen.getByText("No trends right now")).toBeVisible();
  await screen.getByRole("searchbox", { name: "Search trends" }).fill("xyz");
  await userEvent.keyboard("{Enter}");
  await response.answer(trendsWire([]));
  await expect.element(screen.getByText("No trends match")).toBeVisible();
  await button("Show all").click();
  await response.answer(trendsWire([trendWire("moss")]));
  await expect.element(screen.getByRole("row", { name: /moss/ })).toBeVisible();
});

test("without an account, the screen leads to connecting one, and the lists are still there", async () => {
  const { screen } = await openKeywords({ hasAccount: false, lists: [listWire("Baking")] });
  const main = screen.getByRole("main");
  await expect.element(main.getByRole("link", { name: "Connect Account" })).toHaveAttribute("href", "/app");
  await expect.element(screen.getByRole("tab", { name: "Lists 1" })).toBeVisible();
});

test("missing access is one sentence without a retry", async () => {
  const text = "Pinterest doesn't give our app access to search data for this account.";
  const { screen, button } = await openKeywords({ answers: { [TRENDS]: failWith(422, error("refused", text)) } });
  await expect.element(screen.getByText(text, { exact: true })).toBeVisible();
  await expect.element(button(/^Try again/)).not.toBeInTheDocument();
});

test("a disconnected account offers to reconnect", async () => {
  const text = "Please reconnect this Pinterest account.";
  const { screen, button } = await openKeywords({
    answers: { [TRENDS]: failWith(409, error("reconnect_needed", text)) },
  });
  await expect.element(screen.getByText(text)).toBeVisible();
  await expect.element(button("Reconnect")).toBeVisible();
});

test("Pinterest's limit, an outage, and a lost connection each say what happened; a retry shows the trends", async () => {
  const limit = "Pinterest allows 60 requests per minute. Try again in 40 seconds.";
  const { screen, calls, button } = await openKeywords({
    answers: { [TRENDS]: failWith(429, error("too_many", limit)) },
  });
  await expect.element(screen.getByText(limit, { exact: true })).toBeVisible();
  calls.set({ [TRENDS]: failWith(503, error("provider_unavailable", "Pinterest is having problems right now.")) });
  await button(/^Try again/).click();
  await expect
    .element(screen.getByText("The trends couldn't be loaded. Pinterest is having problems right now."))
    .toBeVisible();
  calls.set({ [TRENDS]: unreachable });
  await button(/^Try again/).click();
  await expect.element(screen.getByText(/We couldn't reach the server/)).toBeVisible();
  calls.set({ [TRENDS]: trendsWire([trendWire("moss")]) });
  await button(/^Try again/).click();
  await expect.element(screen.getByRole("row", { name: /moss/ })).toBeVisible();
});

test("selected keywords go to the creator, and to a new list", async () => {
  const { screen, calls, box, bar, button } = await openKeywords({
    answers: { [SAVE]: { ...listWire("Baking"), items: [] } },
  });
  await box("sourdough bread").click();
  await box("easter crafts").click();
  await expect.element(bar.getByText("2 keywords selected")).toBeVisible();
  await expect.element(bar.getByText("Publish from Feb 4 to Feb 18")).toBeVisible();
  const href = `${CREATOR}?keyword=sourdough+bread&keyword=easter+crafts&account=account_1&from=2027-02-04&to=2027-02-18`;
  await expect.element(bar.getByRole("link", { name: "Create pins" })).toHaveAttribute("href", href);
  await button("Save to list…").click();
  const dialog = screen.getByRole("dialog", { name: "Save 2 keywords" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("Enter a name for the list.")).toBeVisible();
  await dialog.getByLabelText("Name of the new list").fill("Baking");
  calls.set({ [LISTS]: { lists: [listWire("Baking")] } });
  await userEvent.keyboard("{Enter}");
  await expect.element(dialog).not.toBeInTheDocument();
  expect(calls.to(SAVE)[0]?.body).toEqual({ name: "Baking", keywords: ["sourdough bread", "easter crafts"] });
  await expect.element(screen.getByText("2 keywords saved to Baking")).toBeVisible();
  await expect.element(screen.getByRole("tab", { name: "Lists 1" })).toBeVisible();
  await button("Clear").click();
  await expect.element(bar).not.toBeInTheDocument();
  await expect.element(screen.getByRole("tab", { name: "Trends" })).toHaveFocus();
});

test("saving to an existing list that is full keeps the dialog open and says why", async () => {
  const text = "A list can hold up to 500 keywords. Remove some first, or use another list.";
  const { screen, calls, box, button } = await openKeywords({
    lists: [listWire("Baking", 500)],
    answers: { [SAVE]: failWith(409, error("wrong_state", text)) },
  });
  await box("sourdough bread").click();
  await button("Save to list…").click();
  const dialog = screen.getByRole("dialog", { name: "Save 1 keyword" });
  await expect.element(dialog.getByLabelText("List", { exact: true })).toHaveDisplayValue("Baking");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText(text)).toBeVisible();
  expect(calls.to(SAVE)[0]?.body).toEqual({ name: "Baking", keywords: ["sourdough bread"] });
});

test("a list shows its keywords, removes one with Undo, and is deleted after confirmation", async () => {
  const own = { pins: 3, counted_pins: 2, impressions: 1_240, outbound_clicks: 12 };
  const items = ["rye", "stollen"].map((keyword) => ({
    ...{ id: `kwd_${keyword}`, keyword, saved_on: "2026-11-20" },
    own_pins: keyword === "rye" ? own : null,
  }));
  const lists = [listWire("Baking"), listWire("Moss", 0)];
  const { screen, calls, button, box, bar } = await openKeywords({
    query: "view=lists",
    lists,
    answers: {
      [LIST]: { ...listWire("Baking"), items },
      [SAVE]: { ...listWire("Baking"), items },
      "DELETE /api/users/pinterest/keyword-lists/*/keywords/*/": null,
      "DELETE /api/users/pinterest/keyword-lists/*/": null,
    },
  });
  await expect.element(screen.getByText("Saved Nov 20").first()).toBeVisible();
  expect(calls.to(LIST)[0]?.query.get("account")).toBe("account_1");
  const texts = screen.getByRole("paragraph").filter({ hasText: "Your pins:" });
  await expect
    .element(texts.first())
    .toHaveTextContent("Your pins: 3 pins, with 1,240 impressions and 12 clicks in the last 90 days");
  await expect.element(texts.last()).toHaveTextContent("Your pins: None yet");
  await box("rye").click();
  await expect.element(bar.getByText("1 keyword selected")).toBeVisible();
  await button("Remove stollen").click();
  await screen.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => calls.to(SAVE).map(({ body }) => body)).toEqual([{ name: "Baking", keywords: ["stollen"] }]);
  calls.set({ [LIST]: { ...listWire("Moss", 0), items: [] } });
  await button("Moss 0 keywords").click();
  await expect.element(screen.getByText("This list is empty.")).toBeVisible();
  await expect.poll(() => location.search).toContain("list=kwl_Moss");
  await button("Delete list").click();
  const question = screen.getByRole("dialog", { name: "Delete Moss?" });
  calls.set({ [LISTS]: { lists: [listWire("Baking")] }, [LIST]: { ...listWire("Baking"), items } });
  await question.getByRole("button", { name: "Delete" }).click();
  await expect.element(button("Moss 0 keywords")).not.toBeInTheDocument();
  await expect.element(screen.getByRole("tab", { name: "Lists 1" })).toHaveFocus();
});

test("without an account, a list's keywords come without pins", async () => {
  const items = [{ id: "kwd_rye", keyword: "rye", saved_on: "2026-11-20" }];
  const { screen, calls, box } = await openKeywords({
    ...{ query: "view=lists", hasAccount: false, lists: [listWire("Baking", 1)] },
    answers: { [LIST]: { ...listWire("Baking", 1), items } },
  });
  await expect.element(box("rye")).toBeVisible();
  expect(calls.to(LIST)[0]?.query.has("account")).toBe(false);
  await expect.element(screen.getByText("Your pins:")).not.toBeInTheDocument();
});

test("without lists, the tab leads to the trends", async () => {
  const { screen, button } = await openKeywords({ query: "view=lists" });
  await expect.element(screen.getByText("No lists yet")).toBeVisible();
  await button("Find keywords").click();
  await expect.element(screen.getByRole("row", { name: /easter crafts/ })).toBeVisible();
});

test("on a phone, each value has its label, and nothing scrolls sideways", async () => {
  await page.viewport(390, 844);
  const { row } = await openKeywords();
  await expect.element(row(/easter crafts/)).toBeVisible();
  const cell = row(/easter crafts/)
    .element()
    .querySelector("[data-label=Month]");
  expect(cell && getComputedStyle(cell, "::before").content).toBe('"Month"');
  expect(document.documentElement.scrollWidth).toBe(390);
});

import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { draftsOf, listOf, manyDrafts, openPins, POSTS } from "#tests/support/component/pins.tsx";

const KITCHEN: PinWire[] = draftsOf("Slow bread", "Citrus", "Bread without kneading", "Bedroom", "Light").map(
  (pin, at) => ({
    ...pin,
    status: (["draft", "scheduled", "published", "draft", "failed"] as const)[at] ?? "draft",
    scheduled_at: at === 1 ? addMs(new Date(), DAY_MS).toISOString() : null,
  }),
);

const NeverIntersecting = class {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
};

afterEach(() => {
  vi.unstubAllGlobals();
});

test("R-FEAT-02, R-POST-02 shows counts on every tab, counts search results, and clears the search with Escape", async () => {
  const { tab, titles, search } = await openPins(KITCHEN);
  const counts = { All: 5, Published: 1, Scheduled: 1, Draft: 2, Failed: 1 };
  for (const [word, count] of Object.entries(counts)) {
    await expect.element(tab(word)).toHaveTextContent(`${word}${count}`);
  }
  await userEvent.keyboard("/");
  await expect.element(search).toHaveFocus();
  await userEvent.keyboard("BREAD");
  await expect.poll(titles).toEqual(["Slow bread", "Bread without kneading"]);
  await expect.element(tab("All")).toHaveTextContent("All2");
  await expect.poll(() => new URLSearchParams(location.search).get("q")).toBe("BREAD");
  await userEvent.keyboard("{Escape}");
  await expect.element(search).toHaveValue("");
  await expect.poll(() => titles().length).toBe(5);
  await expect.element(search).toHaveFocus();
  expect(new URLSearchParams(location.search).has("q")).toBe(false);
});

test("R-FEAT-02 shows an empty search result, and each way out moves the focus", async () => {
  const { screen, tab, titles, search, button } = await openPins(KITCHEN);
  const [field, order] = [search, screen.getByLabelText("Sort by")].map((one) => one.element().getBoundingClientRect());
  expect(Math.abs((field?.bottom ?? 0) - (order?.bottom ?? 99))).toBeLessThanOrEqual(1);
  await tab("Scheduled").click();
  await search.fill("bread");
  await expect.element(screen.getByRole("heading", { name: "Nothing found for “bread”" })).toBeVisible();
  await button("Show 2 matches in All").click();
  await expect.poll(() => titles().length).toBe(2);
  await expect.element(tab("All")).toHaveFocus();
  await search.fill("bread nowhere");
  await expect.element(screen.getByRole("heading", { name: "Nothing found for “bread nowhere”" })).toBeVisible();
  await button("Clear the search").click();
  await expect.poll(() => titles().length).toBe(5);
  await expect.element(search).toHaveValue("");
  await expect.element(search).toHaveFocus();
});

test("R-FEAT-02 requests four sort orders and keeps them in the URL", async () => {
  const { screen, calls, titles } = await openPins(KITCHEN.map((pin) => ({ ...pin, status: "draft" })));
  const order = screen.getByLabelText("Sort by");
  for (const word of ["oldest", "title", "due"]) {
    await order.selectOptions(word);
    await expect.poll(() => calls.to(POSTS).at(-1)?.query.get("sort")).toBe(word);
    await expect.poll(() => new URLSearchParams(location.search).get("sort")).toBe(word);
  }
  await order.selectOptions("newest");
  await expect.poll(() => new URLSearchParams(location.search).has("sort")).toBe(false);
  await expect.poll(titles).toEqual(KITCHEN.map(({ title }) => title));
});

test("A-02 an empty pin grid links to both ways to create pins", async () => {
  const { screen } = await openPins([]);
  await expect.element(screen.getByRole("main").getByRole("link", { name: "Create pins from keywords" })).toBeVisible();
  const manual = screen.getByRole("main").getByRole("link", { name: "Manual Pin Creation" });
  await expect.element(manual).toHaveAttribute("href", "/app/create-pin");
});

test("R-POST-06 loads more pins by a button with the keyboard, and moves the focus to the first new one", async () => {
  vi.stubGlobal("IntersectionObserver", NeverIntersecting);
  const pins = manyDrafts(70);
  const { screen, calls, titles, button } = await openPins(pins);
  await expect.element(screen.getByText("60 of 70 shown")).toBeVisible();
  calls.set({ [POSTS]: failWith(500) });
  await button("Show more").click();
  await expect.element(screen.getByText("We couldn't load more pins.")).toBeVisible();
  calls.set({ [POSTS]: ({ query }) => listOf(pins, query) });
  await button("Try again").click();
  await expect.poll(() => titles().length).toBe(70);
  await expect.element(button("Pin Details: Draft 61")).toHaveFocus();
});

test("R-POST-06 ignores a late page of the previous search", async () => {
  vi.stubGlobal("IntersectionObserver", NeverIntersecting);
  const pins = manyDrafts(130);
  const late = pendingResponse();
  const { screen, calls, search, button, pick } = await openPins(pins);
  await expect.element(screen.getByText("60 of 130 shown")).toBeVisible();
  calls.set({ [POSTS]: late.hold });
  await button("Show more").click();
  await expect.poll(late.count).toBe(1);
  const first = new URLSearchParams(calls.to(POSTS).at(-1)?.query);
  calls.set({ [POSTS]: ({ query }) => listOf(pins, query) });
  await search.fill("draft");
  await expect.poll(() => calls.to(POSTS).at(-1)?.query.get("q")).toBe("draft");
  for (const shown of [120, 130]) {
    await button("Show more").click();
    await expect.element(screen.getByText(`${shown} of 130 shown`)).toBeVisible();
  }
  await late.answer(listOf(pins, first));
  await pick("Draft 1").click();
  await expect.element(screen.getByText("1 selected")).toBeVisible();
  await expect.element(screen.getByText("130 of 130 shown")).toBeVisible();
});

test("R-POST-09, A-35 Shift selects all drafts in between, in the direction of selection, also by keyboard", async () => {
  const pins = manyDrafts(8).map((pin, at): PinWire => (at === 3 ? { ...pin, status: "published" } : pin));
  const { screen, pick } = await openPins(pins);
  await pick("Draft 6").click();
  await pick("Draft 2").click({ modifiers: ["Shift"] });
  for (const [title, place] of Object.entries({ "Draft 6": 1, "Draft 5": 2, "Draft 3": 3, "Draft 2": 4 })) {
    const name = `Select ${title}, number ${place} in your selection`;
    await expect.element(screen.getByRole("checkbox", { name, exact: true })).toBeChecked();
  }
  await expect.element(screen.getByText("4 selected")).toBeVisible();
  pick("Draft 8").element().focus();
  await userEvent.keyboard("{Shift>} {/Shift}");
  await expect.element(screen.getByText("6 selected")).toBeVisible();
  await pick("Draft 3").click({ modifiers: ["Shift"] });
  await expect.element(screen.getByText("1 selected")).toBeVisible();
  await expect.element(pick("Draft 2")).toBeChecked();
});

test("R-POST-05 selects all drafts that the search finds, including drafts not loaded yet", async () => {
  vi.stubGlobal("IntersectionObserver", NeverIntersecting);
  const [other, out, ...rest] = manyDrafts(132);
  const pins: PinWire[] = [
    ...rest.map((pin) => ({ ...pin, keyword: "ridge hikes" })),
    ...(other ? [other] : []),
    ...(out ? [{ ...out, keyword: "ridge hikes", status: "published" as const }] : []),
  ];
  const { screen, tab, search, button } = await openPins(pins);
  await search.fill("ridge");
  await expect.element(tab("All")).toHaveTextContent("All131");
  await button("Select all drafts").click();
  await expect.element(screen.getByText("130 selected")).toBeVisible();
  await search.fill("");
  await expect.element(tab("All")).toHaveTextContent("All132");
  await expect.element(screen.getByText("130 selected")).toBeVisible();
  await tab("Published").click();
  await expect.element(button("Select all drafts")).toBeDisabled();
});

test("R-POST-05 selects the first 500 drafts and shows the limit", async () => {
  vi.stubGlobal("IntersectionObserver", NeverIntersecting);
  const { screen, tab, button } = await openPins(manyDrafts(1_200));
  await expect.element(tab("Draft")).toHaveTextContent("Draft1,200");
  await button("Select all drafts").click();
  const text = "Selected the first 500 of 1,200 drafts, the most you can select at once.";
  await expect.element(screen.getByText(text)).toBeVisible();
  await expect.element(screen.getByText("500 selected")).toBeVisible();
});

test("R-POST-09 deselects a hidden draft that is no longer a draft, and updates counts from the live stream", async () => {
  vi.stubGlobal("IntersectionObserver", NeverIntersecting);
  const pins = manyDrafts(65);
  const { screen, live, tab, button } = await openPins(pins);
  await button("Select all drafts").click();
  await expect.element(screen.getByText("65 selected")).toBeVisible();
  for (const at of [0, 64]) {
    const failed: PinWire = { ...(pins[at] as PinWire), status: "failed", reason: "For a test." };
    pins[at] = failed;
    live.send("post", failed);
  }
  await expect.element(screen.getByText("63 selected")).toBeVisible();
  await expect.element(tab("Failed")).toHaveTextContent("Failed2");
  await expect.element(tab("Draft")).toHaveTextContent("Draft63");
  // Pins on a page that is not loaded do not count as new.
  await expect.element(button("Refresh")).toBeVisible();
});

test("R-FEAT-02 search and sort order fit phones with large touch targets", async () => {
  await page.viewport(390, 844);
  const { screen, search, button, titles } = await openPins(KITCHEN);
  for (const control of [search, screen.getByLabelText("Sort by"), button("Refresh")]) {
    const box = control.element().getBoundingClientRect();
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.right).toBeLessThanOrEqual(390);
  }
  await search.fill("bread");
  await button("Clear search").click();
  await expect.poll(() => titles().length).toBe(5);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
});

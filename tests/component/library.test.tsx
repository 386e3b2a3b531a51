import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { failWith, heldAnswer } from "#tests/support/component/calls.ts";
import { draftsOf, listOf, manyDrafts, openPosts, POSTS } from "#tests/support/component/posts.tsx";

const KITCHEN: PostWire[] = draftsOf("Slow bread", "Citrus", "Bread without kneading", "Bedroom", "Light").map(
  (post, at) => ({
    ...post,
    status: (["draft", "scheduled", "published", "draft", "failed"] as const)[at] ?? "draft",
    scheduled_at: at === 1 ? addMs(new Date(), DAY_MS).toISOString() : null,
  }),
);

const neverInView = class {
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

test("R-FEAT-02, R-POST-02 every tab has its count, a search counts what it finds, and Escape clears it", async () => {
  const { tab, titles, search } = await openPosts(KITCHEN);
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

test("R-FEAT-02 a search that finds nothing says so, and each way out of it takes the focus along", async () => {
  const { screen, tab, titles, search, button } = await openPosts(KITCHEN);
  const [field, order] = [search, screen.getByLabelText("Order")].map((one) => one.element().getBoundingClientRect());
  expect(Math.abs((field?.bottom ?? 0) - (order?.bottom ?? 99))).toBeLessThanOrEqual(1);
  await tab("Scheduled").click();
  await search.fill("bread");
  await expect.element(screen.getByRole("heading", { name: "Nothing found for “bread”" })).toBeVisible();
  await button("Show 2 in all pins").click();
  await expect.poll(() => titles().length).toBe(2);
  await expect.element(tab("All")).toHaveFocus();
  await search.fill("bread nowhere");
  await expect.element(screen.getByRole("heading", { name: "Nothing found for “bread nowhere”" })).toBeVisible();
  await button("Clear the search").click();
  await expect.poll(() => titles().length).toBe(5);
  await expect.element(search).toHaveValue("");
  await expect.element(search).toHaveFocus();
});

test("R-FEAT-02 four orders are asked for, and kept in the address", async () => {
  const { screen, calls, titles } = await openPosts(KITCHEN.map((post) => ({ ...post, status: "draft" })));
  const order = screen.getByLabelText("Order");
  for (const word of ["oldest", "title", "due"]) {
    await order.selectOptions(word);
    await expect.poll(() => calls.to(POSTS).at(-1)?.query.get("sort")).toBe(word);
    await expect.poll(() => new URLSearchParams(location.search).get("sort")).toBe(word);
  }
  await order.selectOptions("newest");
  await expect.poll(() => new URLSearchParams(location.search).has("sort")).toBe(false);
  await expect.poll(titles).toEqual(KITCHEN.map(({ title }) => title));
});

test("A-02 an empty wall names both ways to pins", async () => {
  const { screen } = await openPosts([]);
  await expect.element(screen.getByRole("main").getByRole("link", { name: "Make pins from keywords" })).toBeVisible();
  const manual = screen.getByRole("main").getByRole("link", { name: "Manual Pin Creation" });
  await expect.element(manual).toHaveAttribute("href", "/app/create-pin");
});

test("R-POST-06 without a pointer more pins are asked for by a button, and the focus goes on with the first of them", async () => {
  vi.stubGlobal("IntersectionObserver", neverInView);
  const posts = manyDrafts(70);
  const { screen, calls, titles, button } = await openPosts(posts);
  await expect.element(screen.getByText("60 of 70 shown")).toBeVisible();
  calls.set({ [POSTS]: failWith(500) });
  await button("Show more").click();
  await expect.element(screen.getByText("The next pins could not be loaded.")).toBeVisible();
  calls.set({ [POSTS]: ({ query }) => listOf(posts, query) });
  await button("Try again").click();
  await expect.poll(() => titles().length).toBe(70);
  await expect.element(button("Pin Details: Draft 61")).toHaveFocus();
});

test("R-POST-06 a page of a search that was left comes late and takes nothing away from the next one", async () => {
  vi.stubGlobal("IntersectionObserver", neverInView);
  const posts = manyDrafts(130);
  const late = heldAnswer();
  const { screen, calls, search, button } = await openPosts(posts);
  await expect.element(screen.getByText("60 of 130 shown")).toBeVisible();
  calls.set({ [POSTS]: late.hold });
  await button("Show more").click();
  await expect.poll(late.count).toBe(1);
  const first = new URLSearchParams(calls.to(POSTS).at(-1)?.query);
  calls.set({ [POSTS]: ({ query }) => listOf(posts, query) });
  await search.fill("draft");
  await expect.poll(() => calls.to(POSTS).at(-1)?.query.get("q")).toBe("draft");
  for (const shown of [120, 130]) {
    await button("Show more").click();
    await expect.element(screen.getByText(`${shown} of 130 shown`)).toBeVisible();
  }
  await late.answer(listOf(posts, first));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect.element(screen.getByText("130 of 130 shown")).toBeVisible();
});

test("R-POST-09, A-35 Shift chooses everything between, drafts only, in the direction of the hand, by key as well", async () => {
  const posts = manyDrafts(8).map((post, at): PostWire => (at === 3 ? { ...post, status: "published" } : post));
  const { screen, pick } = await openPosts(posts);
  await pick("Draft 6").click();
  await pick("Draft 2").click({ modifiers: ["Shift"] });
  for (const [title, place] of Object.entries({ "Draft 6": 1, "Draft 5": 2, "Draft 3": 3, "Draft 2": 4 })) {
    const name = `Select ${title}, chosen as number ${place}`;
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

test("R-POST-05 all drafts that the search finds are chosen, also those that are not loaded yet", async () => {
  vi.stubGlobal("IntersectionObserver", neverInView);
  const [other, out, ...rest] = manyDrafts(132);
  const posts: PostWire[] = [
    ...rest.map((post) => ({ ...post, keyword: "ridge walks" })),
    ...(other ? [other] : []),
    ...(out ? [{ ...out, keyword: "ridge walks", status: "published" as const }] : []),
  ];
  const { screen, tab, search, button } = await openPosts(posts);
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

test("R-POST-05 of more drafts than may go at once the first are chosen, and it says so", async () => {
  vi.stubGlobal("IntersectionObserver", neverInView);
  const { screen, tab, button } = await openPosts(manyDrafts(1_200));
  await expect.element(tab("Draft")).toHaveTextContent("Draft1,200");
  await button("Select all drafts").click();
  const text = "The first 500 of 1,200 drafts are chosen: no more go at once.";
  await expect.element(screen.getByText(text)).toBeVisible();
  await expect.element(screen.getByText("500 selected")).toBeVisible();
});

test("R-POST-09 a chosen draft that is not shown falls out when it is no longer one, and counts follow the stream", async () => {
  vi.stubGlobal("IntersectionObserver", neverInView);
  const posts = manyDrafts(65);
  const { screen, live, tab, button } = await openPosts(posts);
  await button("Select all drafts").click();
  await expect.element(screen.getByText("65 selected")).toBeVisible();
  for (const at of [0, 64]) {
    const failed: PostWire = { ...(posts[at] as PostWire), status: "failed", reason: "For a test." };
    posts[at] = failed;
    live.send("post", failed);
  }
  await expect.element(screen.getByText("63 selected")).toBeVisible();
  await expect.element(tab("Failed")).toHaveTextContent("Failed2");
  await expect.element(tab("Draft")).toHaveTextContent("Draft63");
  // What is on a page still to come is not news.
  await expect.element(button("Refresh")).toBeVisible();
});

test("R-FEAT-02 on a phone search and order fit, and fingers hit them", async () => {
  await page.viewport(390, 844);
  const { screen, search, button, titles } = await openPosts(KITCHEN);
  for (const control of [search, screen.getByLabelText("Order"), button("Refresh")]) {
    const box = control.element().getBoundingClientRect();
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.right).toBeLessThanOrEqual(390);
  }
  await search.fill("bread");
  await button("Clear search").click();
  await expect.poll(() => titles().length).toBe(5);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
});

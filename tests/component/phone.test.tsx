import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import { ReviewScreen } from "#components/review/review-screen.tsx";
import { BOARDS, done, draftsOf, openPosts } from "#tests/support/component/posts.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { postWire } from "#tests/support/component/wires.ts";

const LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer";
const WORDS = "A stove, two chairs, and a window towards the valley. ".repeat(14);

/** Whether all of it is in view. */
const isInView = (one: Element | null | undefined): boolean => {
  if (!one) return false;
  const { top, right, bottom, left } = one.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
};

/** How large the place is that a finger may press, with what is laid around it. */
const targetOf = (element: Element) => {
  const around = getComputedStyle(element, "::after");
  const { width, height } = element.getBoundingClientRect();
  const has = around.content !== "none" && around.position === "absolute";
  return {
    width: Math.max(width, has ? Number.parseFloat(around.width) : 0),
    height: Math.max(height, has ? Number.parseFloat(around.height) : 0),
  };
};

const overflowOf = (one: Element) => one.scrollWidth - one.clientWidth;

test("R-POST-06, R-POST-07 a long word stays in its card and in its details", async () => {
  await page.viewport(390, 844);
  const { openDetails } = await openPosts(draftsOf(LONG_WORD, "Ridge"));
  expect(document.documentElement.scrollWidth).toBe(390);
  const details = await openDetails(LONG_WORD);
  expect(overflowOf(details.getByText(LONG_WORD, { exact: true }).first().element())).toBeLessThanOrEqual(0);
  expect(overflowOf(details.element())).toBeLessThanOrEqual(0);
});

test.each([390, 300])("R-POST-02 at %i px the chosen tab is in view", async (width) => {
  await page.viewport(width, 844);
  const { screen } = await openPosts(draftsOf("Ridge"), { query: "status=failed" });
  const chosen = screen.getByRole("tab", { name: /^Failed/ });
  await expect.element(chosen).toHaveAttribute("aria-selected", "true");
  await expect.poll(() => isInView(chosen.element())).toBe(true);
});

test("R-POST-02 the tabs stay where a finger has put them while their counts change", async () => {
  await page.viewport(300, 844);
  const posts = draftsOf("Ridge");
  const { screen, live, tab } = await openPosts(posts, { query: "status=failed" });
  await expect.element(tab("All")).toHaveTextContent("All1");
  await expect.poll(() => isInView(tab("Failed").element())).toBe(true);
  const strip = screen.getByRole("tablist", { name: "Status" }).element();
  strip.scrollTo({ left: 0, behavior: "instant" });
  await expect.poll(() => isInView(tab("Failed").element())).toBe(false);
  const more = postWire({ id: "pin_2", title: "Two" });
  posts.push(more);
  live.send("post", more);
  await expect.element(tab("All")).toHaveTextContent("All2");
  expect(strip.scrollLeft).toBe(0);
});

test("R-POST-07 a question above Pin Details dims them", async () => {
  await page.viewport(390, 844);
  const { openDetails, screen } = await openPosts(draftsOf("Ridge"));
  const details = await openDetails("Ridge");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabelText("Title", { exact: true }).fill("Ridge walks");
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("button", { name: "Keep editing" })).toBeVisible();
  // They come in the order of the document, and of two that are equally high the later one is above.
  const heights = [...document.querySelectorAll("[data-slot=scrim], [data-slot=dialog]")].map((one) =>
    Number(getComputedStyle(one).zIndex),
  );
  expect(heights).toHaveLength(4);
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
});

const openReview = (titles: readonly string[], url: string | null = null) =>
  renderScreen(
    <ReviewScreen
      accounts={[{ id: "account_1", username: "fern" }]}
      accountId="account_1"
      drafts={titles.map((title, at) => postWire({ id: `pin_${at + 1}`, title, description: WORDS, url }))}
      creatorPath="/app/evertack-creator"
    />,
    {
      path: "/app/generated-posts/review",
      answers: { "ACTION recordReviewAction": done(), [BOARDS]: { items: [] } },
    },
  );

test("D9 the next draft is shown from its picture, however far the words of the one before were read", async () => {
  await page.viewport(390, 844);
  const { screen } = await openReview(["One", "Two", "Three"]);
  const progress = () => screen.container.querySelector("[data-slot=review-progress]");
  for (const next of ["2 of 3", "3 of 3"]) {
    window.scrollTo(0, document.body.scrollHeight);
    await expect.poll(() => isInView(progress())).toBe(false);
    await screen.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => progress()?.textContent).toContain(next);
    await expect.poll(() => isInView(progress())).toBe(true);
  }
});

test.each([
  [390, 700],
  [800, 460],
])("D9 at %i × %i px the bar of Quick review does not cover what has the focus", async (width, height) => {
  await page.viewport(width, height);
  const { screen } = await openReview(["One"], "https://example.com/stove");
  const [words, link, bar] = ["[data-slot=review-words]", "[data-slot=review-facts] a", "[data-slot=review-bar]"].map(
    (one) => screen.container.querySelector<HTMLElement>(one),
  );
  if (!words || !link || !bar) throw new Error("three places");
  // The link lies under the bar, and reading has come to the words before it.
  window.scrollBy({ top: link.getBoundingClientRect().bottom - innerHeight + 30 });
  words.tabIndex = -1;
  words.focus({ preventScroll: true });
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(link);
  await expect.poll(() => link.getBoundingClientRect().bottom - bar.getBoundingClientRect().top).toBeLessThanOrEqual(0);
});

test("R-BULK-03 icons can be hit, and the board of a pin has the width of its row", async () => {
  await page.viewport(390, 844);
  const { screen } = await renderScreen(
    <BulkScreen userId={crypto.randomUUID()} accounts={[{ id: "account_1", username: "fern" }]} />,
    { path: "/app/create-pin", answers: { [BOARDS]: { items: [] } } },
  );
  await screen.getByLabelText("Number of pins").fill("2");
  for (const name of ["Its own board for pin 1", "Remove pin 2"]) {
    const one = screen.getByRole("button", { name, exact: true });
    await expect.element(one).toBeInTheDocument();
    const { width, height } = targetOf(one.element());
    expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44);
  }
  const board = screen.getByLabelText("Board of pin 1", { exact: true }).element();
  expect(board.getBoundingClientRect().width).toBeGreaterThan(220);
});

test.each([390, 1440])("DESIGN 5.4 at %i px a toast leaves the commands for the selected pins free", async (width) => {
  await page.viewport(width, width < 700 ? 844 : 1000);
  const { screen, tools, pick, bar } = await openPosts(draftsOf("Cabin", "Ridge"), {
    answers: { "ACTION duplicatePinsAction": done({ ids: ["pin_8", "pin_9"] }) },
  });
  for (const title of ["Cabin", "Ridge"]) await pick(title).click();
  await expect.element(bar).toBeVisible();
  await tools.getByRole("button", { name: width < 700 ? "Change" : "Duplicate" }).click();
  if (width < 700) await screen.getByRole("menuitem", { name: "Duplicate" }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByRole("checkbox").first().click();
  await dialog.getByRole("button", { name: /^Make 2 drafts/ }).click();
  const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
  await expect.poll(() => box("[data-slot=toast]")).toBeDefined();
  for (const to of [0, document.body.scrollHeight]) {
    window.scrollTo(0, to);
    await expect
      .poll(() => (box("[data-slot=toast]")?.bottom ?? Infinity) - (box("[data-slot=selection-dock]")?.top ?? 0))
      .toBeLessThanOrEqual(0);
    expect(box("[data-slot=toast]")?.top).toBeGreaterThanOrEqual(0);
  }
});

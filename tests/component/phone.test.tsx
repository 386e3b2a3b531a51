import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import { ReviewScreen } from "#components/review/review-screen.tsx";
import { BOARDS, done, draftsOf, openPins } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { pinWire } from "#tests/support/component/wires.ts";

const LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer";
const WORDS = "A stove, two chairs, and a window towards the valley. ".repeat(14);

/** Whether an element is fully in view. */
const isInView = (one: Element | null | undefined): boolean => {
  if (!one) return false;
  const { top, right, bottom, left } = one.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
};

/** Returns the size of a touch target, including its enlarged area. */
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

test("R-POST-06, R-POST-07 a long word does not overflow its card or details", async () => {
  await page.viewport(390, 844);
  const { openDetails } = await openPins(draftsOf(LONG_WORD, "Ridge"));
  expect(document.documentElement.scrollWidth).toBe(390);
  const details = await openDetails(LONG_WORD);
  expect(overflowOf(details.getByText(LONG_WORD, { exact: true }).first().element())).toBeLessThanOrEqual(0);
  expect(overflowOf(details.element())).toBeLessThanOrEqual(0);
});

test.each([390, 300])("R-POST-02 at %i px the selected tab is in view", async (width) => {
  await page.viewport(width, 844);
  const { screen } = await openPins(draftsOf("Ridge"), { query: "status=failed" });
  const chosen = screen.getByRole("tab", { name: /^Failed/ });
  await expect.element(chosen).toHaveAttribute("aria-selected", "true");
  await expect.poll(() => isInView(chosen.element())).toBe(true);
});

test("R-POST-02 the tabs keep their scroll position when counts change", async () => {
  await page.viewport(300, 844);
  const pins = draftsOf("Ridge");
  const { screen, live, tab } = await openPins(pins, { query: "status=failed" });
  await expect.element(tab("All")).toHaveTextContent("All1");
  await expect.poll(() => isInView(tab("Failed").element())).toBe(true);
  const strip = screen.getByRole("tablist", { name: "Status" }).element();
  strip.scrollTo({ left: 0, behavior: "instant" });
  await expect.poll(() => isInView(tab("Failed").element())).toBe(false);
  const more = pinWire({ id: "pin_2", title: "Two" });
  pins.push(more);
  live.send("post", more);
  await expect.element(tab("All")).toHaveTextContent("All2");
  expect(strip.scrollLeft).toBe(0);
});

test("R-POST-07 a confirmation above Pin Details dims them", async () => {
  await page.viewport(390, 844);
  const { openDetails, screen } = await openPins(draftsOf("Ridge"));
  const details = await openDetails("Ridge");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabelText("Title", { exact: true }).fill("Ridge walks");
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("button", { name: "Keep editing" })).toBeVisible();
  // Elements are in document order, and of two with the same z-index the later one is on top.
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
      drafts={titles.map((title, at) => pinWire({ id: `pin_${at + 1}`, title, description: WORDS, url }))}
      creatorPath="/app/evertack-creator"
    />,
    {
      path: "/app/generated-posts/review",
      answers: { "ACTION recordReviewAction": done(), [BOARDS]: { items: [] } },
    },
  );

test("the next draft is shown from its top, however far the previous one was scrolled", async () => {
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
])("at %i × %i px the bar of Review Drafts does not cover the focused element", async (width, height) => {
  await page.viewport(width, height);
  const { screen } = await openReview(["One"], "https://example.com/stove");
  const [words, link, bar] = ["[data-slot=review-words]", "[data-slot=review-facts] a", "[data-slot=review-bar]"].map(
    (one) => screen.container.querySelector<HTMLElement>(one),
  );
  if (!words || !link || !bar) throw new Error("An element is missing");
  // The link is under the bar, and the focus is right before it.
  window.scrollBy({ top: link.getBoundingClientRect().bottom - innerHeight + 30 });
  words.tabIndex = -1;
  words.focus({ preventScroll: true });
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(link);
  await expect.poll(() => link.getBoundingClientRect().bottom - bar.getBoundingClientRect().top).toBeLessThanOrEqual(0);
});

test("R-BULK-03 icon buttons are large enough, and the board select has the width of its row", async () => {
  await page.viewport(390, 844);
  const { screen } = await renderScreen(
    <BulkScreen userId={crypto.randomUUID()} accounts={[{ id: "account_1", username: "fern" }]} />,
    { path: "/app/create-pin", answers: { [BOARDS]: { items: [] } } },
  );
  await screen.getByLabelText("Number of pins").fill("2");
  for (const name of ["Separate board for pin 1", "Remove pin 2"]) {
    const one = screen.getByRole("button", { name, exact: true });
    await expect.element(one).toBeInTheDocument();
    const { width, height } = targetOf(one.element());
    expect(Math.min(width, height), name).toBeGreaterThanOrEqual(44);
  }
  const board = screen.getByLabelText("Board of pin 1", { exact: true }).element();
  expect(board.getBoundingClientRect().width).toBeGreaterThan(220);
});

test.each([390, 1440])("at %i px a toast does not cover the selection bar", async (width) => {
  await page.viewport(width, width < 700 ? 844 : 1000);
  const { screen, tools, pick, bar } = await openPins(draftsOf("Cabin", "Ridge"), {
    answers: { "ACTION duplicatePinsAction": done({ ids: ["pin_8", "pin_9"] }) },
  });
  for (const title of ["Cabin", "Ridge"]) await pick(title).click();
  await expect.element(bar).toBeVisible();
  await tools.getByRole("button", { name: width < 700 ? "Actions" : "Duplicate" }).click();
  if (width < 700) await screen.getByRole("menuitem", { name: "Duplicate" }).click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByRole("checkbox").first().click();
  await dialog.getByRole("button", { name: /^Create 2 drafts/ }).click();
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

test("a card's title opens its details as well; its link and checkbox keep their own use", async () => {
  const published = { status: "published", pinterest_url: "https://www.pinterest.com/pin/1/" } as const;
  const { screen } = await openPins([...draftsOf("Cabin"), pinWire({ id: "pin_9", title: "Ridge", ...published })]);
  const hit = (element: Element): Element | null => {
    element.scrollIntoView({ block: "center" });
    const { left, top, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2);
  };
  const opener = screen.getByRole("button", { name: "Pin Details: Ridge" }).element();
  const title = [...screen.container.querySelectorAll(".pin-caption-title")].find((one) => one.textContent === "Ridge");
  expect(hit(title as Element)).toBe(opener);
  const link = screen.getByRole("link", { name: /See it/ }).element();
  expect(hit(link)).toBe(link);
  const checkbox = screen.getByRole("checkbox", { name: "Select Cabin" }).element();
  expect(hit(checkbox)).toBe(checkbox);
});

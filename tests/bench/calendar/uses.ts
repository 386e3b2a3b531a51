import type { Page } from "@playwright/test";
import { type Measured, measure, type Scrolled, scroll } from "./interactions.ts";

/** What the browser measured, by what was done. */
export type Results = Map<string, Measured>;

const SCROLL_PX = 160;

const add = (results: Results, name: string, measured: Measured): void => {
  const known = results.get(name);
  if (!known) results.set(name, measured);
  for (const part of ["interactions", "longTasks", "cpuMs"] as const) known?.[part].push(...measured[part]);
};

const chips = (page: Page) => page.locator("td [data-pin-id]:visible");

/** Presses beside the button that shows its menu. */
const TEXT = { x: 20, y: 10 };

const untilCalm = (page: Page) =>
  page.waitForFunction(() => document.querySelector("[data-slot=calendar-pin] .animate-pulse") === null);

const untilMoved = async (page: Page, act: () => Promise<unknown>): Promise<void> => {
  await Promise.all([page.waitForResponse(/\/move-pins\//), act()]);
  await untilCalm(page);
};

const openPins = async (page: Page, times: number, results: Results): Promise<void> => {
  const count = await chips(page).count();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  for (let n = 0; n < times; n += 1) {
    const open = async () => {
      await chips(page)
        .nth((n * 7) % count)
        .click({ position: TEXT });
      await dialog.waitFor();
    };
    const close = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    };
    add(results, "open a pin", await measure(page, 1, open));
    add(results, "close it", await measure(page, 1, close));
  }
};

const turnPages = async (page: Page, times: number, results: Results): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    const before = await page.locator("h2").first().textContent();
    const turn = async () => {
      await page.getByRole("button", { name: n % 2 === 0 ? "Next" : "Previous", exact: true }).click();
      await page.waitForFunction((text) => document.querySelector("h2")?.textContent !== text, before);
      await page.locator("[aria-busy=false] [data-slot=calendar-month]").waitFor();
    };
    add(results, "next or previous month", await measure(page, 1, turn));
  }
};

const movePins = async (page: Page, times: number, results: Results): Promise<void> => {
  const count = await chips(page).count();
  for (let n = 0; n < times; n += 1) {
    const move = async () => {
      await chips(page)
        .nth((n * 7) % count)
        .focus();
      for (const key of [" ", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
      await untilMoved(page, () => page.keyboard.press("Enter"));
    };
    add(results, "move a pin by keyboard, each key", await measure(page, 4, move));
  }
};

const selectPins = async (page: Page, times: number, results: Results): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    const select = () =>
      chips(page)
        .nth(n)
        .click({ modifiers: ["Control"], position: TEXT });
    add(results, "select one more pin", await measure(page, 1, select));
  }
  const later = page.getByRole("button", { name: "Move one day later" });
  for (let n = 0; n < Math.ceil(times / 4); n += 1) {
    const move = () => untilMoved(page, () => later.click());
    add(results, "move all selected pins", await measure(page, 1, move));
  }
};

/** What a user does in the month. */
export const inMonth = async (page: Page, times: number, results: Results): Promise<void> => {
  for (const act of [openPins, turnPages, movePins, selectPins]) await act(page, times, results);
};

/** Selects pins at the top of the list, then scrolls. */
export const inList = async (
  page: Page,
  { times, frames }: { times: number; frames: number },
  results: Results,
): Promise<Scrolled> => {
  const boxes = page.getByRole("checkbox", { name: /^Select Moss/ });
  for (let n = 0; n < times; n += 1) {
    const select = () => boxes.nth(n % 8).click();
    add(results, "list: select one more pin", await measure(page, 1, select));
  }
  let scrolled: Scrolled = { frames: [], rowsMax: 0 };
  const run = async () => {
    scrolled = await scroll(page, frames, SCROLL_PX);
  };
  add(results, "list: scroll", await measure(page, 0, run));
  return scrolled;
};

import type { Page } from "@playwright/test";

/**
 * What would go away by itself after exactly so many milliseconds stays, on every page opened from now on: a busy
 * machine may take longer to look at it. Every other timer runs.
 */
export const holdTimers = async (page: Page, heldMs: number): Promise<void> => {
  await page.addInitScript((held) => {
    const run = window.setTimeout;
    const setTimeout = (...[act, ms, ...rest]: Parameters<typeof run>) => (ms === held ? 0 : run(act, ms, ...rest));
    Object.assign(window, { setTimeout });
  }, heldMs);
};

/** Under the pointer a toast with an Undo stays for as long as it may. */
export const keepUndo = (page: Page): Promise<void> => page.getByRole("button", { name: "Undo", exact: true }).hover();

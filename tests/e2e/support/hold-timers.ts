import type { Page } from "@playwright/test";

/** Disables timers of exactly `heldMs` on every page opened from now on, so that a busy machine does not miss a notice. */
export const holdTimers = async (page: Page, heldMs: number): Promise<void> => {
  await page.addInitScript((held) => {
    const run = window.setTimeout;
    const setTimeout = (...[act, ms, ...rest]: Parameters<typeof run>) => (ms === held ? 0 : run(act, ms, ...rest));
    Object.assign(window, { setTimeout });
  }, heldMs);
};

/** Hovers over a toast with Undo, which keeps it open. */
export const keepUndo = (page: Page): Promise<void> => page.getByRole("button", { name: "Undo", exact: true }).hover();

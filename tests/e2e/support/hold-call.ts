import type { Page } from "@playwright/test";

/** How often a call came while it was held, and how to let it go on. */
interface HeldCall {
  count: () => number;
  release: () => void;
}

/** Keeps a call waiting, as a slow network would, until it is released. */
export const holdCall = async (page: Page, path: string | RegExp): Promise<HeldCall> => {
  let calls = 0;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    calls += 1;
    await gate;
    await route.continue();
  });
  return { count: () => calls, release: open };
};

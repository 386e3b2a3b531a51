import type { Page } from "@playwright/test";

/** Counts the held requests and releases them. */
interface HeldCall {
  count: () => number;
  release: () => void;
}

/** Holds a request, like a slow network, until it is released. */
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

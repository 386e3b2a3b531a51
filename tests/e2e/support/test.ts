import { test as base, type Page } from "@playwright/test";

/** Waits until React has hydrated every control and run its effects. Does not wait on other sites' pages. */
export const untilInteractive = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    if (document.querySelector('script[src*="/_next/"]') === null) return true;
    // A screen that is still loading shows its title already.
    if (document.querySelector("[data-slot=screen-loading]") !== null) return false;
    // The screen is inert during the auth check.
    if (document.querySelector("[data-auth=loading]") !== null) return false;
    const controls = [...document.querySelectorAll("button, input:not([type=hidden]), select, textarea")];
    return controls.every((one) => Object.keys(one).some((key) => key.startsWith("__reactProps$")));
  });
  await afterEffects(page);
};

/**
 * Waits until React has run its effects. React schedules them as messages, which keep their order; twice, since an effect
 * may render again.
 */
export const afterEffects = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(null);
      });
    }
  });

/**
 * Playwright's test, where opening a page waits until it is interactive, and requests are retried when a connection was
 * closed. Specs without scripts use Playwright's own test.
 */
export const test = base.extend({
  page: async ({ page, javaScriptEnabled }, use) => {
    const { request } = page;
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      const call = request[method].bind(request);
      // The server may close a keep-alive connection just as it is used again.
      request[method] = (url, options) => call(url, { maxRetries: 3, ...options });
    }
    if (javaScriptEnabled !== false) {
      const { goto, reload } = page;
      page.goto = async (...args) => {
        const answer = await goto.apply(page, args);
        await untilInteractive(page);
        return answer;
      };
      page.reload = async (...args) => {
        const answer = await reload.apply(page, args);
        await untilInteractive(page);
        return answer;
      };
    }
    await use(page);
  },
});

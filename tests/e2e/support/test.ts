import { test as base, type Page } from "@playwright/test";

/**
 * Waits until React listens to every control of a page of ours, and what it does after drawing is done: a key that is
 * pressed before reaches nobody. Pages of others are not waited for.
 */
export const listens = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    if (document.querySelector('script[src*="/_next/"]') === null) return true;
    // A screen whose queries wait shows its title already.
    if (document.querySelector("[data-slot=screen-loading]") !== null) return false;
    // While the login is checked the screen is inert: nothing in it takes the focus.
    if (document.querySelector("[data-auth=loading]") !== null) return false;
    const controls = [...document.querySelectorAll("button, input:not([type=hidden]), select, textarea")];
    return controls.every((one) => Object.keys(one).some((key) => key.startsWith("__reactProps$")));
  });
  await afterEffects(page);
};

/**
 * What React does after it has drawn (listeners, timers) is done when this returns: it queues that as a message, and
 * messages keep their order. Two, as a first effect may draw once more.
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
 * Playwright's test, but a page is open when it can be used (a loaded machine shows it long before), and its calls
 * outlast a connection that was closed meanwhile. Specs whose pages get no scripts take Playwright's own.
 */
export const test = base.extend({
  page: async ({ page, javaScriptEnabled }, use) => {
    const { request } = page;
    for (const verb of ["get", "post", "put", "patch", "delete"] as const) {
      const call = request[verb].bind(request);
      // A kept connection may be closed by the server as it is used again: such a call is made anew.
      request[verb] = (url, options) => call(url, { maxRetries: 3, ...options });
    }
    if (javaScriptEnabled !== false) {
      const { goto, reload } = page;
      page.goto = async (...args) => {
        const answer = await goto.apply(page, args);
        await listens(page);
        return answer;
      };
      page.reload = async (...args) => {
        const answer = await reload.apply(page, args);
        await listens(page);
        return answer;
      };
    }
    await use(page);
  },
});

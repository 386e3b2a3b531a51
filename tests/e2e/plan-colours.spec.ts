import { expect, type Page } from "@playwright/test";
import { dress, THEMES } from "./support/looks.ts";
import { signIn } from "./support/quick.ts";
import { openSettings, plan, shared } from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

const SUBSCRIPTION = "**/api/users/subscription/";

/** What hue a person sees of a chip's words, as the browser paints them: 0 red, 60 yellow, 120 green, 240 blue. */
const hueOf = (page: Page): Promise<number> =>
  plan(page)
    .locator(".chip")
    .first()
    .evaluate((chip) => {
      const paper = new OffscreenCanvas(1, 1).getContext("2d");
      if (!paper) return -1;
      paper.fillStyle = getComputedStyle(chip).color;
      paper.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = paper.getImageData(0, 0, 1, 1).data;
      const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
      if (most === least) return -1;
      const sixth = (at: number) => (at * 60 + 360) % 360;
      if (most === red) return sixth((green - blue) / (most - least));
      return most === green ? sixth((blue - red) / (most - least) + 2) : sixth((red - green) / (most - least) + 4);
    });

test("R-SUB-03, A-21, A-22 active is green, trial blue, canceling yellow and called so, everything else red", async ({
  page,
}) => {
  await signIn(page);
  const looks = [
    ["active", "Active", 80, 170],
    ["trial", "Trial", 190, 260],
    ["active (canceling)", "Canceling", 25, 65],
    ["canceled", "Canceled", -20, 20],
    ["no_subscription", "No subscription", -20, 20],
  ] as const;
  let told: string = looks[0][0];
  // One route throughout: to take it away while it answers a page that is left would handle that call twice.
  // The product is asked once: an answer that arrives when its page has been left cannot be read any more.
  let body: object | null = null;
  await page.route(SUBSCRIPTION, async (route) => {
    body ??= Object(await (await route.fetch()).json());
    await route.fulfill({ json: { ...body, status: told, auto_renew: told === "active" } });
  });
  for (const theme of THEMES) {
    for (const [status, word, from, to] of looks) {
      told = status;
      await dress(page, 1440, theme);
      await openSettings(page, shared());
      await expect(plan(page).locator(".chip").first()).toHaveText(word);
      const hue = await hueOf(page);
      const near = hue > 340 ? hue - 360 : hue;
      expect(near, `${status}, ${theme}`).toBeGreaterThan(from);
      expect(near, `${status}, ${theme}`).toBeLessThan(to);
    }
  }
});

import { expect, type Page } from "@playwright/test";
import { drafts, fillWall } from "./support/library.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

const NEXT_PAGE = /generated-pins\/.*[?&]cursor=/;

/** Keeps the first call for a next page waiting until it is released; those after it go on. */
const holdFirst = async (page: Page) => {
  let calls = 0;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  await page.route(NEXT_PAGE, async (route) => {
    calls += 1;
    if (calls === 1) await gate;
    await route.continue();
  });
  return { count: () => calls, release };
};

test("R-POST-06 a page of a search that was left comes late and takes nothing away from the next one", async ({
  page,
}) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await fillWall(page, { token, accountId: id }, drafts(130));
  const held = await holdFirst(page);
  await page.goto("/app/generated-posts");
  await expect(page.getByText("60 of 130 shown")).toBeVisible();
  const scrollOn = () => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(async () => {
    await scrollOn();
    expect(held.count()).toBeGreaterThan(0);
  }).toPass({ timeout: 30_000 });
  const late = page.waitForEvent("requestfinished", {
    predicate: (one) => NEXT_PAGE.test(one.url()) && !one.url().includes("q=draft"),
    timeout: 120_000,
  });
  await page.getByRole("searchbox", { name: "Search pins" }).fill("draft");
  await expect(async () => {
    await scrollOn();
    await expect(page.getByText("130 of 130 shown")).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });

  await page.evaluate(() => {
    const said = new Set<string>();
    new MutationObserver(() => {
      said.add(document.querySelector(".posts-more [role=status]")?.textContent ?? "nothing");
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
    Object.assign(window, { said });
  });
  held.release();
  await late;
  await afterEffects(page);
  await expect(page.getByText("130 of 130 shown")).toBeVisible();
  const said = await page.evaluate(() => [...(window as unknown as { said: Set<string> }).said]);
  expect(said.filter((text) => text !== "130 of 130 shown")).toEqual([]);
});

import { expect, type Page } from "@playwright/test";
import { arrangeDrafts, choose, openDetails, selectionTools } from "./support/manage.ts";
import { test } from "./support/test.ts";

declare global {
  interface Window {
    /** Lost on a full page load. */
    isMarked?: boolean;
  }
}

/** Marks the document; the returned function checks whether it is still the same one. */
const markDocument = async (page: Page) => {
  await page.evaluate(() => {
    window.isMarked = true;
  });
  return () => page.evaluate(() => window.isMarked === true);
};

/**
 * Holds matching requests until they are released or aborted. The first load uses a new user's default time zone, which
 * differs from the browser's.
 */
const holdRequests = async (page: Page, pattern: string, isHeld: (headers: Record<string, string>) => boolean) => {
  const gate = Promise.withResolvers<"succeed" | "fail">();
  await page.route(pattern, async (route) => {
    if (!isHeld(route.request().headers())) return route.fallback();
    if ((await gate.promise) === "fail") return route.abort("internetdisconnected");
    return route.fallback();
  });
  return gate.resolve;
};

for (const end of ["succeed", "fail"] as const) {
  test(`R-SRV-06, R-POST-07 detecting the browser's time zone keeps an open dialog, typed text and a selection when requests ${end}`, async ({
    page,
  }) => {
    const release = await holdRequests(page, "**/app/**", (headers) => Boolean(headers.rsc ?? headers["next-action"]));
    await arrangeDrafts(page, ["Cabin", "Ridge"]);
    const isSameDocument = await markDocument(page);
    await choose(page, "Cabin", "Ridge");
    await page.getByRole("radio", { name: "Later" }).check();
    const details = await openDetails(page, "Cabin");
    await details.getByRole("button", { name: "Edit", exact: true }).click();
    const title = details.getByLabel("Title", { exact: true });
    await title.fill("A cabin, typed while the page was new");
    release(end);
    // Browsers spell this zone differently.
    await expect(page.locator("[data-slot=schedule-zone]")).toContainText(/Asia.Kath?mandu/);
    await expect(title).toHaveValue("A cabin, typed while the page was new");
    await expect(title).toBeFocused();
    expect(await isSameDocument()).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(page.getByText("2 selected")).toBeVisible();
    await selectionTools(page).getByRole("button", { name: "Edit" }).click();
    await expect(page.getByRole("dialog", { name: "Edit 2 pins" })).toBeVisible();
  });
}

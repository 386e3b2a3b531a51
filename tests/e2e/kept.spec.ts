import { expect, type Page } from "@playwright/test";
import { arrangeDrafts, choose, openDetails, selectionTools } from "./support/manage.ts";
import { test } from "./support/test.ts";

declare global {
  interface Window {
    /** Set by these tests: gone once the document was loaded anew. */
    stays?: boolean;
  }
}

/** Notes this document; the answer tells whether it still is the same. */
const noteDocument = async (page: Page) => {
  await page.evaluate(() => {
    window.stays = true;
  });
  return () => page.evaluate(() => window.stays === true);
};

/**
 * Holds back whatever the first load of the screens asks for besides itself, until it is let through or breaks. The
 * first load is in the zone of a user who is new, and the browser is in another.
 */
const holdAnswers = async (page: Page, pattern: string, isHeld: (headers: Record<string, string>) => boolean) => {
  const gate = Promise.withResolvers<"answer" | "break">();
  await page.route(pattern, async (route) => {
    if (!isHeld(route.request().headers())) return route.fallback();
    if ((await gate.promise) === "break") return route.abort("internetdisconnected");
    return route.fallback();
  });
  return gate.resolve;
};

for (const end of ["answer", "break"] as const) {
  test(`R-SRV-06, R-POST-07 the browser's own time zone is learned beside an open dialog, typed words and a selection: the calls ${end}`, async ({
    page,
  }) => {
    const letGo = await holdAnswers(page, "**/app/**", (headers) => Boolean(headers.rsc ?? headers["next-action"]));
    await arrangeDrafts(page, ["Cabin", "Ridge"]);
    const isSameDocument = await noteDocument(page);
    await choose(page, "Cabin", "Ridge");
    await page.getByRole("radio", { name: "Later" }).check();
    const details = await openDetails(page, "Cabin");
    await details.getByRole("button", { name: "Edit", exact: true }).click();
    const title = details.getByLabel("Title", { exact: true });
    await title.fill("A cabin, typed while the page was new");
    letGo(end);
    // Browsers still spell the zone in two ways.
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

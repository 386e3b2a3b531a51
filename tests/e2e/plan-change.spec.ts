import { expect, type Page } from "@playwright/test";
import { openScreen, row } from "./support/buy-screen.ts";
import { paddle, read, signInOn } from "./support/buying.ts";
import { dress, lookAt, THEMES, WIDTHS } from "./support/looks.ts";
import { action, openFor } from "./support/pricing-screen.ts";
import { test } from "./support/test.ts";

const CHANGE = "**/api/users/subscription/change/";
const SUBSCRIPTION = "**/api/users/subscription/";
const WAIT = { timeout: 60_000 };

/** What the dialog shows of an answer to "what would it cost". */
const previewAs = async (page: Page, preview: Record<string, unknown>): Promise<void> => {
  await page.route(CHANGE, async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    await route.fulfill({ response: answer, json: { ...json, preview: { ...json.preview, ...preview } } });
  });
};

test("A-96 the dialog of a change names the currency, the day and what comes with the plan; nothing due is said", async ({
  page,
}) => {
  test.setTimeout(240_000);
  await signInOn(page, "growth");
  await openFor(page, "Growth");
  const dialog = page.getByRole("dialog");
  const ask = async (plan: string): Promise<void> => {
    await action(page, plan).click();
    await expect(dialog.getByText("Due now")).toBeVisible(WAIT);
  };
  const leave = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  };
  await ask("Pro");
  await expect(dialog).toContainText(/Due now\$\d+\.\d\d USD/);
  await expect(dialog).toContainText(/Pro plan beginsAt once/);
  await expect(dialog).toContainText(/Each month from .+\$79\.00 USD/);
  await expect(dialog).toContainText("You have 7 Pinterest accounts and 2,500 credits a month at once");
  await expect(dialog).toContainText("You pay for the rest of this period only.");
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      await dress(page, width, theme);
      await lookAt(page, `plan-change-${width}-${theme}`);
    }
  }
  await leave();

  await ask("Basic");
  await expect(dialog).toContainText("Due nowNothing");
  await expect(dialog).toContainText(/Basic plan beginsOn .+, with the renewal/);
  await expect(dialog).toContainText("Your present plan stays until then.");
  await leave();

  await previewAs(page, { currency: "JPY", due_now: 4_350, next_total: 12_000 });
  await ask("Pro");
  await expect(dialog).toContainText("Due now¥4,350 JPY");
  await expect(dialog).toContainText("¥12,000 JPY");
});

test("A-23 the plan that the server named instead is shown until the subscription is read anew", async ({ page }) => {
  const user = await signInOn(page, "free");
  const stale = await read(page, user, "/api/users/subscription/");
  let isPressed = false;
  page.on("request", (request) => {
    isPressed ||= request.url().endsWith("/api/users/checkout/");
  });
  // The plan's news may have the screen read it again at any moment before.
  await page.route(SUBSCRIPTION, (route) => (isPressed ? route.continue() : route.fulfill({ json: stale })));
  await openScreen(page);
  await expect(row(page, 100)).toContainText("$6.00");
  const { id } = await read(page, user, "/api/users/me/");
  await paddle().buy({ userId: String(id), email: user.who.email }, "plan:basic");
  await expect
    .poll(async () => Object((await read(page, user, "/api/users/subscription/")).plan).slug, WAIT)
    .toBe("basic");
  await page.getByRole("radio", { name: /^100 credits/ }).check();
  await page.getByRole("button", { name: "Purchase Credits" }).click();
  await expect(page.getByText("These are the prices of your plan, Basic.")).toBeVisible(WAIT);
  await expect(row(page, 100)).toContainText("$5.00");
  await page.request.post("/api/users/subscription/change/", {
    data: { plan: "growth" },
    headers: { authorization: `Bearer ${user.token}` },
  });
  await expect(row(page, 100)).toContainText("$4.50", WAIT);
  await expect(page.getByText("Your plan includes 1,000 credits per billing cycle")).toBeVisible();
});

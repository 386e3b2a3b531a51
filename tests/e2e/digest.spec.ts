import { expect, type Page } from "@playwright/test";
import postgres from "postgres";
import { TOAST_MS } from "#components/ui/toast-times.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { awaitMail } from "./support/inbox.ts";
import { dress, lookAt, lookAtAll, looksFor } from "./support/looks.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const mails = (page: Page) => page.getByRole("region", { name: "Mails", exact: true });

const openSettings = async (page: Page): Promise<void> => {
  await page.goto("/app/settings#mails");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

/** Has something happened an hour ago that its owner is to be told of by mail. */
const happened = async (email: string, kinds: readonly string[]): Promise<void> => {
  const sql = postgres(process.env.E2E_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  try {
    for (const kind of kinds) {
      await sql`insert into digest_entries (user_id, kind, cause, subject, reason, occurred_at)
        select id, ${kind}, ${`${kind}:1`}, 'Fern & moss', 'For a reason.', now() - interval '1 hour'
        from users where email = ${email}`;
    }
  } finally {
    await sql.end();
  }
};

test("R-SRV-04 each kind of mail is switched off and on in the settings, by mouse and by keyboard", {
  tag: "@screens",
}, async ({ page }) => {
  await holdTimers(page, TOAST_MS);
  await signIn(page);
  await openSettings(page);
  const boxes = mails(page).getByRole("checkbox");
  await expect(boxes).toHaveCount(5);
  for (const box of await boxes.all()) await expect(box).toBeChecked();
  await expect(mails(page).getByRole("checkbox", { name: "Your week on Pinterest", exact: true })).toBeVisible();
  const lost = mails(page).getByRole("checkbox", { name: "Accounts that lost their connection", exact: true });
  await expect(lost).toHaveAccessibleDescription("Scheduled pins wait until you connect again.");
  await lost.click();
  await expect(page.getByText("You get no more of these mails")).toBeVisible();
  await mails(page).getByRole("checkbox", { name: "Credits running low" }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("You get no more of these mails")).toHaveCount(2);
  await openSettings(page);
  await expect(lost).not.toBeChecked();
  await expect(mails(page).getByRole("checkbox", { checked: true })).toHaveCount(3);
  await lost.check();
  await expect(page.getByText("You get these mails again")).toBeVisible();
  await openSettings(page);
  await expect(mails(page).getByRole("checkbox", { checked: true })).toHaveCount(4);
  for (const { width, theme } of looksFor("settings-emails")) {
    await dress(page, width, theme);
    await mails(page).scrollIntoViewIfNeeded();
    await lookAt(page, `settings-mails-${width}-${theme}`);
  }
  await dress(page, 390, "light");
  for (const box of await mails(page).getByRole("listitem").all()) {
    expect((await box.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
});

test("R-SRV-04 a switch that is not kept goes back and says so", async ({ page }) => {
  await signIn(page);
  await openSettings(page);
  const failed = mails(page).getByRole("checkbox", { name: "Pins that were not published" });
  await page.route("**/app/settings", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await failed.click();
  await expect(page.getByText("The server could not be reached. Please try again.")).toBeVisible();
  await expect(failed).toBeChecked();
});

test("R-SRV-04 one mail tells what failed and what was lost; its link stops both without a login", {
  tag: "@screens",
}, async ({ page, browser }) => {
  test.setTimeout(240_000);
  const { who } = await signIn(page);
  await happened(who.email, ["pins_failed", "account_lost"]);
  // Gathered once a minute, and then sent.
  const fits = ({ subject }: { subject: string }) => subject.startsWith("Some of your pins need you");
  const mail = await awaitMail(page, who.email, fits, 150_000);
  expect(mail.text).toContain("Fern & moss");
  const link = mail.links.find((one) => one.includes("/unsubscribe/")) ?? "";

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(new URL(link).pathname);
  await expect(stranger.getByRole("main")).toContainText(
    "no more mails about pins that were not published and accounts that lost their connection",
  );
  await lookAtAll(stranger, "unsubscribe");
  await stranger.getByRole("button", { name: "Stop these mails" }).click();
  await expect(stranger.getByRole("heading", { name: "These mails are stopped" })).toBeFocused();
  await expect(stranger.getByRole("link", { name: "Choose your mails" })).toHaveAttribute(
    "href",
    "/app/settings#mails",
  );
  await context.close();

  await openSettings(page);
  await expect(mails(page).getByRole("checkbox", { checked: false })).toHaveCount(2);
  await expect(mails(page).getByRole("checkbox", { name: "Pins that were not published" })).not.toBeChecked();
});

test("R-SRV-04 a link that is not whole says so and leads to the settings", async ({ page }) => {
  await page.goto("/unsubscribe/usr_0.pins_failed.x");
  await page.getByRole("button", { name: "Stop these mails" }).click();
  await expect(page.getByRole("heading", { name: "This link is not whole" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Choose your mails" })).toBeVisible();
});

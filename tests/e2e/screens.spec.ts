import { expect, test } from "@playwright/test";
import { grant } from "./support/grant.ts";
import { dress, lookAt, THEMES, WIDTHS } from "./support/looks.ts";
import { connect, login, newPerson, register } from "./support/person.ts";
import { pasteLines } from "./support/quick.ts";

const KEYWORDS = [
  "evergreen cabins",
  "slow sunday bread",
  "small balcony garden",
  "linen bedding",
  "coast packing list",
  "forbidden subject",
  "citrus desserts",
  "beginner quilting",
  "winter branches",
  "quiet bedroom",
  "ridge walks",
  "kitchen tile ideas",
];

const PUBLIC = [
  ["landing", "/"],
  ["blog", "/blog"],
  ["article", "/blog/pinterest-pin-sizes"],
  ["register", "/register"],
  ["login", "/login"],
  ["forgot-password", "/forgot-password"],
  ["reset-password", "/reset-password/a-token-that-nobody-has"],
  ["reset-password-invalid", "/reset-password"],
  ["contact-us", "/contact-us"],
  ["lost", "/no-such-page"],
] as const;

test.describe("public pages", () => {
  for (const [name, path] of PUBLIC) {
    test(`${name} at three widths in both themes`, async ({ page }) => {
      for (const theme of THEMES) {
        for (const width of WIDTHS) {
          await dress(page, width, theme);
          await page.goto(path);
          await lookAt(page, `${name}-${width}-${theme}`);
        }
      }
    });
  }
});

test("R-TRK-01, R-POST-06, R-BRD-03 every screen of the signed-in area at three widths in both themes", async ({
  page,
}) => {
  test.setTimeout(300_000);
  const who = newPerson();
  await register(page, who);
  await login(page, who);
  const each = async (name: string, arrange: () => Promise<void>) => {
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        await dress(page, width, theme);
        await arrange();
        await lookAt(page, `${name}-${width}-${theme}`);
      }
    }
  };
  const settled = async (path: string) => {
    await page.goto(path);
    await expect(page.locator("[inert]")).toHaveCount(0);
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  };

  await each("accounts-empty", () => settled("/app"));
  await connect(page, "moss.and.thread");
  await each("accounts", () => settled("/app"));
  await each("boards", () => settled("/app/board-manager"));
  await each("settings", () => settled("/app/settings"));
  await grant(who.email, 40);
  await page.goto("/app");
  await page
    .getByRole("link", { name: /Creator$/ })
    .first()
    .click();
  await page.waitForURL(/-creator$/);
  const creator = new URL(page.url()).pathname;
  await each("creator", () => settled(creator));
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(page, KEYWORDS);
  await page.getByRole("button", { name: "Generate Content" }).click();
  await expect(page.getByText(`of ${KEYWORDS.length} finished`)).toBeVisible();
  await each("progress", async () => {});
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("1 pin(s) failed to generate.")).toBeVisible();
  await each("progress-done", async () => {});

  await settled("/app/generated-posts");
  await page
    .getByRole("checkbox", { name: /^Select / })
    .first()
    .check();
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(1)
    .check();
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByRole("listitem").getByText("Published")).toHaveCount(1, { timeout: 60_000 });
  await each("posts", async () => {
    await settled("/app/generated-posts");
    for (const at of [0, 1, 2])
      await page
        .getByRole("checkbox", { name: /^Select / })
        .nth(at)
        .check();
  });
  await each("details", async () => {
    await settled("/app/generated-posts?status=published");
    await page
      .getByRole("button", { name: /^Pin Details/ })
      .first()
      .click();
    await expect(page.getByRole("region", { name: "Receipt" })).toBeVisible();
  });
});

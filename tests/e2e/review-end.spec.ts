import { expect } from "@playwright/test";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("A-02 an empty wall and an empty review name both ways to pins", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  for (const path of ["/app/generated-posts", "/app/generated-posts/review"]) {
    await page.goto(path);
    const main = page.getByRole("main");
    await expect(main.getByRole("link", { name: "Make pins from keywords" })).toBeVisible();
    await expect(main.getByRole("link", { name: "Manual Pin Creation" })).toHaveAttribute("href", "/app/create-pin");
  }
});

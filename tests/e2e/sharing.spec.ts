import { expect } from "@playwright/test";
import { Crawler } from "#tests/support/crawl.ts";
import { readHtml } from "#tests/support/read-html.ts";
import { watchPolicy } from "./support/policy.ts";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

/** The path with the names of its parameters: links that differ only in values, such as dates, lead to one screen. */
const shapeOf = (path: string): string => {
  const { pathname, searchParams } = new URL(path, "https://example.com");
  return [pathname, ...[...searchParams.keys()].toSorted()].join(" ");
};

test("A-60 the signed-in area has no broken links and complies with its policy, even when opened from a static page", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const found = watchPolicy(page);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await insertGenerated(id, ["linked moss", "linked fern"]);
  const get = async (path: string) => {
    const answer = await page.request.get(path);
    return { status: answer.status(), type: answer.headers()["content-type"] ?? "", text: await answer.text() };
  };
  const [, builtFor = ""] = /<loc>(https?:\/\/[^/<]+)/.exec((await get("/sitemap.xml")).text) ?? [];
  const crawler = new Crawler(get, baseURL ?? "", builtFor);
  const waiting = new Set(["/app", "/app/no-such-screen"]);
  for (const path of waiting) {
    await page.goto(path);
    await expect(page.locator("[inert]")).toHaveCount(0);
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    expect([path, found]).toEqual([path, []]);
    const shown = readHtml(await page.content());
    // Check anchors in the rendered page, since its initial HTML may not contain them.
    const here = shown.links.filter((address) => address.startsWith("#") && address !== "#");
    expect(here.filter((address) => !shown.anchors.includes(address.slice(1)))).toEqual([]);
    const links = shown.links.filter((address) => !address.startsWith("#"));
    const inside = await crawler.check(path, { links, files: [] });
    for (const next of inside) {
      const isNew = ![...waiting].some((known) => shapeOf(known) === shapeOf(next));
      if (isNew && /^\/app(\/|$)/.test(next)) waiting.add(next);
    }
  }
  expect(crawler.broken).toEqual([]);
  expect(waiting.size).toBeGreaterThanOrEqual(15);
  expect(waiting.size, [...waiting].join(" ")).toBeLessThan(40);

  await page.goto("/");
  await page.getByRole("banner").getByRole("link", { name: "Dashboard" }).click();
  await page.waitForURL(/\/app$/);
  await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible();
  await expect(page.locator("[inert]")).toHaveCount(0);
  expect(found).toEqual([]);
});

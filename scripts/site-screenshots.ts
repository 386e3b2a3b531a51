import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "@playwright/test";
import { chromiumLaunchOptions } from "./chromium.ts";
import { asObject, connectAccount, createClient, type Login, signUp } from "./demo-client.ts";
import { inRepository } from "./root.ts";

/** A screenshot, at least 1440 px wide. */
export type Screen = { name: string; png: Buffer };

const VIEWPORT = { width: 1440, height: 900 } as const;
const SCALE = 1.25;
const CREDITS = "40";
const LONG_MS = 120_000;
/** The screenshot is taken with this many pins finished, so that the others show different stages. */
const FINISHED = /^\s*[4-7]\s*of 12 finished/;
/** Hides what a user with real services and a confirmed email does not see. */
const HIDE_SANDBOX_UI = "[data-slot=sandbox-badge] { visibility: hidden } [data-slot=banner]:has(b) { display: none }";

const KEYWORDS = [
  ...["cabins in the woods", "slow sunday bread", "small balcony garden", "linen bedding", "coast packing list"],
  ...["citrus desserts", "beginner quilting", "winter branches", "quiet bedroom", "ridge hikes"],
  ...["kitchen tile ideas", "first swim checklist"],
];

/**
 * The creator at work and drafts being scheduled, each in light and dark, of a product with stand-ins. The AI stand-in
 * should take some seconds per text and image, or the batch is finished before the screenshot.
 */
export async function takeScreenshots(baseUrl: string): Promise<Screen[]> {
  const login = await prepareUser(baseUrl);
  const browser = await chromium.launch(await chromiumLaunchOptions());
  try {
    const page = await openSignedIn(browser, baseUrl, login);
    return [...(await captureCreator(page, baseUrl)), ...(await captureSchedule(page, baseUrl))];
  } finally {
    await browser.close();
  }
}

async function prepareUser(baseUrl: string): Promise<Login> {
  const client = createClient(baseUrl);
  const login = await signUp(client, { first_name: "Juniper", last_name: "Hale" });
  await connectAccount(client);
  const grant = ["--conditions=react-server", inRepository("scripts", "credits-grant.ts")];
  await promisify(execFile)(process.execPath, [...grant, login.email, CREDITS, "for the site's screenshots"]);
  return login;
}

async function openSignedIn(browser: Browser, baseUrl: string, login: Login): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: SCALE, bypassCSP: true });
  const page = await context.newPage();
  page.setDefaultTimeout(LONG_MS);
  const answer = await context.request.post(`${baseUrl}/api/users/login/`, { data: login });
  const { accessToken } = asObject(await answer.json());
  await page.goto(`${baseUrl}/icon.svg`);
  await page.evaluate((token) => localStorage.setItem("accessToken", token), String(accessToken));
  return page;
}

async function inBothThemes(page: Page, name: string): Promise<Screen[]> {
  const screens: Screen[] = [];
  await page.addStyleTag({ content: HIDE_SANDBOX_UI });
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    screens.push({ name: `${name}-${theme}`, png: await page.screenshot({ type: "png", animations: "disabled" }) });
  }
  return screens;
}

async function captureCreator(page: Page, baseUrl: string): Promise<Screen[]> {
  await page.goto(`${baseUrl}/app`);
  await page
    .getByRole("link", { name: /Creator$/ })
    .first()
    .click();
  await page.waitForURL(/-creator$/);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text", text);
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, KEYWORDS.join("\n"));
  await page.getByRole("button", { name: "Generate Content" }).click();
  await page.locator("[data-slot=progress-count]").filter({ hasText: FINISHED }).waitFor();
  const screens = await inBothThemes(page, "creator");
  await page.getByText("Pin generation complete!").waitFor();
  return screens;
}

async function captureSchedule(page: Page, baseUrl: string): Promise<Screen[]> {
  await page.goto(`${baseUrl}/app/generated-posts`);
  const choices = page.getByRole("checkbox", { name: /^Select / });
  await choices.nth(11).waitFor();
  for (const at of [0, 1, 3, 4, 6]) await choices.nth(at).check();
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())).then(() => undefined));
  return inBothThemes(page, "posts");
}

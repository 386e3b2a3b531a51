/**
 * `node scripts/screenshot.ts URL out.png --width 390 --height 900 --dark --full --storage state.json --scale 2 --click
 * SELECTOR --wait SELECTOR`: takes a screenshot after the click and the wait, and prints console errors.
 */
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { chromiumLaunchOptions } from "./chromium.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "1440" },
    height: { type: "string", default: "900" },
    scale: { type: "string", default: "1" },
    dark: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    storage: { type: "string" },
    wait: { type: "string" },
    click: { type: "string" },
  },
});
const [url, out] = positionals;
if (!url || !out) {
  console.error("Usage: scripts/screenshot.ts URL out.png [--width 390] [--height 900] [--dark] [--full]");
  process.exit(1);
}

const browser = await chromium.launch(await chromiumLaunchOptions());
try {
  const page = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    deviceScaleFactor: Number(values.scale),
    colorScheme: values.dark ? "dark" : "light",
    ...(values.storage ? { storageState: values.storage } : {}),
  });
  page.on("console", (message) => {
    if (message.type() === "error") console.error(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => console.error(`page error: ${error.message}`));
  const response = await page.goto(url, { waitUntil: "load" });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  if (values.click) await page.locator(values.click).first().click();
  if (values.wait) await page.locator(values.wait).first().waitFor();
  await mkdir(dirname(resolve(out)), { recursive: true });
  await page.screenshot({ path: out, fullPage: values.full });
  console.log(`${response?.status() ?? "file"} ${page.url()} → ${out}`);
} finally {
  await browser.close();
}

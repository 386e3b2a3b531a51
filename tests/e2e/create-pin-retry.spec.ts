import { createHash, randomBytes } from "node:crypto";
import { expect, type Page, type Request } from "@playwright/test";
import sharp from "sharp";
import { badImages } from "#tests/support/sample-images.ts";
import { begin, board, CREATE, create, image, images, many, rows } from "./support/bulk.ts";
import { test } from "./support/test.ts";

/** Playwright does not expose bodies with files, but their length is known. */
const bytesOf = async (request: Request): Promise<number> => Number((await request.allHeaders())["content-length"]);

test("R-BULK-08, R-BULK-10, R-ENT-07 resends only the image that failed; the others are saved", async ({ page }) => {
  await begin(page);
  const good = await images(5);
  const damaged = (await badImages()).find(({ says }) => `${says}`.includes("damaged"));
  const chosen = good.map((one, n) => (n === 2 && damaged ? { ...one, buffer: damaged.file } : one));
  await many(page).setInputFiles(chosen);
  await board(page, 1).selectOption({ index: 1 });
  const first = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(
    rows(page)
      .nth(2)
      .getByText(/image is damaged/),
  ).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("One pin needs your attention.")).toBeVisible();

  await image(page, 3).setInputFiles(good[2] ?? []);
  // A rejection that does not mention saved images does not resend all of them.
  const json = { message: "The upload was interrupted.", code: "invalid" };
  await page.route(CREATE, (route) => route.fulfill({ status: 400, json }), { times: 1 });
  await create(page).click();
  await expect(page.getByText("The upload was interrupted.")).toBeVisible();
  const second = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(page.getByText("Your 5 drafts are in Generated Posts.")).toBeVisible({ timeout: 30_000 });
  const [before, after] = [await first, await second];
  const own = good[2]?.buffer.length ?? 0;
  expect(await bytesOf(before)).toBeGreaterThan(5 * own);
  expect(await bytesOf(after)).toBeLessThan(own + 3_000);
});

/** An image of about a megabyte, which takes a while on a slow connection. */
const heavy = async (name: string) => {
  const side = 600;
  const buffer = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  return { name, mimeType: "image/png", buffer };
};

/** Sets the upload speed in bytes per second; -1 removes the limit. */
const limitSending = async (page: Page, uploadThroughput: number) => {
  const line = await page.context().newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  });
};

test("R-BULK-08 resumes a stopped upload without resending complete images", async ({ page }) => {
  const { accountId, token } = await begin(page);
  const chosen = [await heavy("a.png"), await heavy("b.png"), await heavy("c.png")];
  await many(page).setInputFiles(chosen);
  await board(page, 1).selectOption({ index: 1 });
  await limitSending(page, 350_000);
  await create(page).click();
  await expect(page.getByText(/^[12] of 3 images uploaded$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(create(page)).toBeEnabled();
  await expect(
    page.getByText(/^Stopped after [12] of 3 images. Select Create again to upload the rest.$/),
  ).toBeVisible();
  await limitSending(page, -1);

  // Stop also works while saved images are looked up, and the known state stays.
  const sent: string[] = [];
  page.on("request", (request) => request.url().endsWith("/create-bulk/") && sent.push(request.url()));
  await page.evaluate(() => {
    const digest = crypto.subtle.digest.bind(crypto.subtle);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    Object.assign(window, { openGate: open });
    crypto.subtle.digest = (...all) => gate.then(() => digest(...all));
  });
  await create(page).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(create(page)).toBeEnabled();
  await expect(page.getByText(/^Stopped after [12] of 3 images. Select Create again to upload the rest/)).toBeVisible();
  await page.evaluate(() => (window as unknown as { openGate: () => void }).openGate());
  expect(sent).toEqual([]);

  // A request rejected because of its second image creates nothing and reports whether the first one is saved.
  const text = { board_id: await board(page, 1).inputValue(), title: "Moss" };
  const image_sha256 = createHash("sha256")
    .update(chosen[0]?.buffer ?? "")
    .digest("hex");
  const isKept = async (): Promise<unknown> => {
    const answer = await page.request.post("/api/users/pinterest/create-bulk/", {
      headers: { authorization: `Bearer ${token}` },
      multipart: {
        pinterest_account: accountId,
        number_of_pins: "2",
        "pins[0]": JSON.stringify({ ...text, image_sha256 }),
        "pins[1]": JSON.stringify(text),
        "pins[1][image]": { name: "x.png", mimeType: "image/png", buffer: Buffer.from("not an image") },
      },
    });
    return (await answer.json()).kept;
  };
  await expect.poll(isKept, { timeout: 90_000 }).toEqual(["pins[0]"]);

  const again = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(page.getByText("Your 3 drafts are in Generated Posts.")).toBeVisible({ timeout: 60_000 });
  const all = chosen.reduce((sum, { buffer }) => sum + buffer.length, 0);
  const one = chosen[0]?.buffer.length ?? 0;
  expect(await bytesOf(await again)).toBeLessThan(all - one + 3_000);
});

test("R-BULK-08 reports a lost connection, resends everything without digests, and updates the text when rows change", async ({
  page,
}) => {
  // Like a page without TLS.
  await page.addInitScript(() => {
    Object.defineProperty(crypto, "subtle", { value: undefined });
    Object.defineProperty(crypto, "randomUUID", { value: undefined });
  });
  await begin(page);
  await many(page).setInputFiles([await heavy("a.png"), await heavy("b.png"), await heavy("c.png")]);
  await board(page, 1).selectOption({ index: 1 });
  await page.route(CREATE, (route) => route.abort(), { times: 1 });
  await create(page).click();
  await expect(
    page.getByText(
      "The connection was lost before the first image was uploaded. Select Create again to upload all of them.",
      {
        exact: true,
      },
    ),
  ).toBeVisible();
  await limitSending(page, 350_000);
  await create(page).click();
  await expect(page.getByText(/^[12] of 3 images uploaded$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  const stopped = page.getByText(/^Stopped after [12] of 3 images. Select Create again to upload all of them.$/);
  await expect(stopped).toBeVisible();
  await limitSending(page, -1);
  await page.getByRole("button", { name: "Remove pin 3", exact: true }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(stopped).toHaveCount(0);
  await create(page).click();
  await expect(page.getByText("Your 2 drafts are in Generated Posts.")).toBeVisible({ timeout: 60_000 });
});

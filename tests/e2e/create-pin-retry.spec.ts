import { createHash, randomBytes } from "node:crypto";
import { expect, type Page, type Request } from "@playwright/test";
import sharp from "sharp";
import { badPictures } from "#tests/support/sample-pictures.ts";
import { begin, board, CREATE, create, image, many, pictures, rows } from "./support/bulk.ts";
import { test } from "./support/test.ts";

/** Browsers do not hand bodies with files to tests; how long they are they say. */
const bytesOf = async (request: Request): Promise<number> => Number((await request.allHeaders())["content-length"]);

test("R-BULK-08, R-BULK-10, R-ENT-07 one image that fails is sent again alone: the others are kept", async ({
  page,
}) => {
  await begin(page);
  const good = await pictures(5);
  const damaged = (await badPictures()).find(({ says }) => `${says}`.includes("damaged"));
  const chosen = good.map((one, n) => (n === 2 && damaged ? { ...one, buffer: damaged.file } : one));
  await many(page).setInputFiles(chosen);
  await board(page, 1).selectOption({ index: 1 });
  const first = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(
    rows(page)
      .nth(2)
      .getByText(/is damaged and cannot be read/),
  ).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("One pin needs your attention.")).toBeVisible();

  await image(page, 3).setInputFiles(good[2] ?? []);
  // A refusal that says nothing of kept images is no reason to send all of them again.
  const json = { message: "The body broke off.", code: "invalid" };
  await page.route(CREATE, (route) => route.fulfill({ status: 400, json }), { times: 1 });
  await create(page).click();
  await expect(page.getByText("The body broke off.")).toBeVisible();
  const second = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(page.getByText("5 drafts are waiting in Generated Posts.")).toBeVisible({ timeout: 30_000 });
  const [before, after] = [await first, await second];
  const own = good[2]?.buffer.length ?? 0;
  expect(await bytesOf(before)).toBeGreaterThan(5 * own);
  expect(await bytesOf(after)).toBeLessThan(own + 3_000);
});

/** A picture of about a megabyte, so that a slow line takes a while with it. */
const heavy = async (name: string) => {
  const side = 600;
  const buffer = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  return { name, mimeType: "image/png", buffer };
};

/** How fast the browser sends from now on, in bytes a second; -1 for as fast as it can. */
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

test("R-BULK-08 an upload that is stopped midway is gone on with: what had come whole is not sent again", async ({
  page,
}) => {
  const { accountId, token } = await begin(page);
  const chosen = [await heavy("a.png"), await heavy("b.png"), await heavy("c.png")];
  await many(page).setInputFiles(chosen);
  await board(page, 1).selectOption({ index: 1 });
  await limitSending(page, 350_000);
  await create(page).click();
  await expect(page.getByText(/^[12] of 3 images sent$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(create(page)).toBeEnabled();
  await expect(
    page.getByText(/^Stopped after [12] of 3 images. Create sends only what is not kept here yet.$/),
  ).toBeVisible();
  await limitSending(page, -1);

  // While it is looked up what need not be sent, Stop is heard too, and what is known stays.
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
  await expect(page.getByText(/^Stopped after [12] of 3 images. Create sends only/)).toBeVisible();
  await page.evaluate(() => (window as unknown as { openGate: () => void }).openGate());
  expect(sent).toEqual([]);

  // A set that is refused because of its second image says whether the first one is kept, and makes nothing.
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
        "pins[1][image]": { name: "x.png", mimeType: "image/png", buffer: Buffer.from("no picture") },
      },
    });
    return (await answer.json()).kept;
  };
  await expect.poll(isKept, { timeout: 90_000 }).toEqual(["pins[0]"]);

  const again = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(page.getByText("3 drafts are waiting in Generated Posts.")).toBeVisible({ timeout: 60_000 });
  const all = chosen.reduce((sum, { buffer }) => sum + buffer.length, 0);
  const one = chosen[0]?.buffer.length ?? 0;
  expect(await bytesOf(await again)).toBeLessThan(all - one + 3_000);
});

test("R-BULK-08 a lost line is called that; without the browser's digests all is sent again; other rows, other words", async ({
  page,
}) => {
  // As on a page without TLS.
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
    page.getByText("The connection was lost before an image was through. Create sends all of them.", { exact: true }),
  ).toBeVisible();
  await limitSending(page, 350_000);
  await create(page).click();
  await expect(page.getByText(/^[12] of 3 images sent$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  const stopped = page.getByText(/^Stopped after [12] of 3 images. Create sends all of them again.$/);
  await expect(stopped).toBeVisible();
  await limitSending(page, -1);
  await page.getByRole("button", { name: "Remove pin 3", exact: true }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(stopped).toHaveCount(0);
  await create(page).click();
  await expect(page.getByText("2 drafts are waiting in Generated Posts.")).toBeVisible({ timeout: 60_000 });
});

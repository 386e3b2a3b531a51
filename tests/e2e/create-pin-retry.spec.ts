import { createHash, randomBytes } from "node:crypto";
import { expect, type Page, type Request } from "@playwright/test";
import sharp from "sharp";
import { begin, board, CREATE, create, many } from "./support/bulk.ts";
import { test } from "./support/test.ts";

/** Playwright does not expose bodies with files, but their length is known. */
const bytesOf = async (request: Request): Promise<number> => Number((await request.allHeaders())["content-length"]);

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
  await limitSending(page, 250_000);
  await create(page).click();
  await expect(page.getByText(/^[12] of 3 images uploaded$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(create(page)).toBeEnabled();
  await expect(
    page.getByText(/^Stopped after [12] of 3 images. Select Create again to upload the rest.$/),
  ).toBeVisible();
  await limitSending(page, -1);

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

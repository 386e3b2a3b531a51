import { expect, type Request, test } from "@playwright/test";
import { badPictures } from "#tests/support/sample-pictures.ts";
import { begin, board, CREATE, create, image, many, pictures, rows } from "./support/bulk.ts";

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
  const second = page.waitForRequest(CREATE);
  await create(page).click();
  await expect(page.getByText("5 drafts are waiting in Generated Posts.")).toBeVisible({ timeout: 30_000 });
  const [before, after] = [await first, await second];
  const own = good[2]?.buffer.length ?? 0;
  expect(await bytesOf(before)).toBeGreaterThan(5 * own);
  expect(await bytesOf(after)).toBeLessThan(own + 3_000);
});

import { expect, type Page } from "@playwright/test";
import { images } from "./bulk.ts";
import { insertPins } from "./quick.ts";

interface DraftOptions {
  token: string;
  accountId: string;
  url?: string;
  description?: string;
  image?: Buffer;
}

/** Inserts drafts in list order. */
export const insertDrafts = (
  { accountId, description }: { accountId: string; description?: string },
  titles: readonly string[],
): Promise<string[]> =>
  insertPins(
    accountId,
    titles.map((title) => ({ title, ...(description !== undefined && { description }) })),
  );

/**
 * Uploads drafts through the API, so that the product checks their links. All get `url` and `description` (by default
 * derived from the title). The first draft gets `image`; the others get an image of one color.
 */
export const makeDrafts = async (
  page: Page,
  { token, accountId, url = "", description, image }: DraftOptions,
  titles: readonly string[],
): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const boards = await page.request.get(`/api/users/pinterest/boards/${accountId}/`, { headers });
  const { items } = (await boards.json()) as { items: { id: string }[] };
  const files = await images(titles.length);
  if (image && files[0]) files[0].buffer = image;
  const answer = await page.request.post("/api/users/pinterest/create-bulk/", {
    headers,
    multipart: Object.fromEntries([
      ["pinterest_account", accountId],
      ["number_of_pins", String(titles.length)],
      ...titles.flatMap((title, n) => [
        [
          `pins[${n}]`,
          JSON.stringify({ board_id: items[0]?.id, title, description: description ?? `About ${title}`, url }),
        ],
        [`pins[${n}][image]`, files[n]],
      ]),
    ]),
  });
  expect(answer.ok(), `status ${answer.status()}`).toBe(true);
};

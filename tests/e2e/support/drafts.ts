import { expect, type Page } from "@playwright/test";
import { pictures } from "./bulk.ts";
import { insertPins } from "./quick.ts";

interface DraftOptions {
  token: string;
  accountId: string;
  url?: string;
  description?: string;
  picture?: Buffer;
}

/** Inserts drafts in the order of their titles, which is the lists' own. */
export const insertDrafts = (
  { accountId, description }: { accountId: string; description?: string },
  titles: readonly string[],
): Promise<string[]> =>
  insertPins(
    accountId,
    titles.map((title) => ({ title, ...(description !== undefined && { description }) })),
  );

/**
 * Makes drafts over the documented call for pins made by hand, in the order of their titles, so that the product looks
 * at their links; all lead to `url` and have that `description`, or one from their title. The first one has that
 * `picture`, all others one of a single color.
 */
export const makeDrafts = async (
  page: Page,
  { token, accountId, url = "", description, picture }: DraftOptions,
  titles: readonly string[],
): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const boards = await page.request.get(`/api/users/pinterest/boards/${accountId}/`, { headers });
  const { items } = (await boards.json()) as { items: { id: string }[] };
  const files = await pictures(titles.length);
  if (picture && files[0]) files[0].buffer = picture;
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

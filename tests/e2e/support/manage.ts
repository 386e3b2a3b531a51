import { expect, type Page } from "@playwright/test";
import { insertDrafts } from "./drafts.ts";
import { connectQuickly, signIn } from "./quick.ts";

/** A pin as the API lists it. */
export type Row = {
  id: string;
  title: string;
  url: string | null;
  board_id: string;
  description: string;
  alt_text: string;
  status: string;
  scheduled_at: string | null;
};

/** Opens Generated Posts with drafts of these titles. Also returns a function that fetches them. */
export const arrangeDrafts = async (page: Page, titles: readonly string[], boards = 3) => {
  const { token } = await signIn(page);
  const { id, username } = await connectQuickly(page, token, boards);
  await insertDrafts({ accountId: id }, titles);
  await page.goto("/app/generated-posts");
  await expect(page.getByRole("checkbox", { name: /^Select / })).toHaveCount(titles.length);
  const headers = { authorization: `Bearer ${token}` };
  const rows = async (): Promise<Row[]> => {
    const answer = await page.request.get(`/api/users/pinterest/generated-pins/${id}/?status=all`, { headers });
    return ((await answer.json()) as { posts: Row[] }).posts;
  };
  const byTitle = async () => new Map((await rows()).map((row) => [row.title, row]));
  return { id, token, username, headers, rows, byTitle };
};

/** Selects drafts in the pin grid. */
export const choose = async (page: Page, ...titles: string[]): Promise<void> => {
  for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
};

/** The toolbar for the selected pins. */
export const selectionTools = (page: Page) => page.getByRole("region", { name: "Actions for the selected pins" });

/** Opens Pin Details of the pin with this title. */
export const openDetails = async (page: Page, title: string) => {
  await page.getByRole("button", { name: `Pin Details: ${title}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect(dialog).toBeVisible();
  return dialog;
};

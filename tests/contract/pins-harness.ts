import { expect } from "vitest";
import { type ContractUser, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";

export const ABSENT_PIN = `pin_${"0".repeat(26)}`;
export const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const pinsPath = (accountId: string, query = "") =>
  `/api/users/pinterest/generated-pins/${encodeURIComponent(accountId)}/${query}`;

/** A 400 body with one field. */
export const errorOf = (field: string, text: string) => ({
  ...errorBody("invalid", text),
  fields: { [field]: [text] },
});

/** A complete error body (R-API-31). */
export const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});

export interface PinJson {
  id: string;
  status: string;
  keyword: string;
  pinterest_url: string | null;
}

export interface Creator {
  user: ContractUser;
  accountId: string;
  boardId: string;
}

export const pinsOf = async ({ user, accountId }: Creator, query = ""): Promise<PinJson[]> =>
  Object((await user.call(pinsPath(accountId, query))).json).posts;

/** A user with a connected account and generated drafts for these keywords. */
export const creatorWithDrafts = async (...keywords: string[]): Promise<Creator> => {
  const user = await signUp();
  const { id: accountId } = await connectOverHttp(user);
  const boards = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json).items;
  const boardId: string = boards.find(({ privacy }: { privacy: string }) => privacy === "PUBLIC").id;
  const creator = { user, accountId, boardId };
  if (keywords.length === 0) return creator;
  const keyword_data = keywords.map((keyword) => ({ keyword, url: "https://garden.example/moss" }));
  const body = { pinterest_account: accountId, board_id: boardId, quality: "standard", keyword_data };
  await user.call("/api/users/pinterest/generate-pins/", { method: "POST", body });
  const made = async () => (await pinsOf(creator)).length === keywords.length;
  await until(made, { deadlineMs: 60_000, what: "the drafts" });
  return creator;
};

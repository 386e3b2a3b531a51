import { expect } from "vitest";
import { type ContractUser, connectOverHttp, signUp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";

export const ABSENT_PIN = `pin_${"0".repeat(26)}`;
export const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const postsPath = (accountId: string, query = "") =>
  `/api/users/pinterest/generated-pins/${encodeURIComponent(accountId)}/${query}`;

/** A 400 that names one field. */
export const errorOf = (field: string, text: string) => ({
  ...errorBody("invalid", text),
  fields: { [field]: [text] },
});

/** R-API-31: an error's whole body. */
export const errorBody = (code: string, text: unknown = expect.any(String)) => ({
  error: text,
  message: text,
  code,
  request_id: expect.stringMatching(/^req_/),
});

export interface Post {
  id: string;
  status: string;
  keyword: string;
  pinterest_url: string | null;
}

export interface Maker {
  user: ContractUser;
  accountId: string;
  boardId: string;
}

/** What the documented call answers. */
export const postsOf = async ({ user, accountId }: Maker, query = ""): Promise<Post[]> =>
  Object((await user.call(postsPath(accountId, query))).json).posts;

/** A user with a connected account and drafts from these keywords, made by the product itself. */
export const makerWithDrafts = async (...keywords: string[]): Promise<Maker> => {
  const user = await signUp();
  const { id: accountId } = await connectOverHttp(user);
  const boards = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json).items;
  const boardId: string = boards.find(({ privacy }: { privacy: string }) => privacy === "PUBLIC").id;
  const maker = { user, accountId, boardId };
  if (keywords.length === 0) return maker;
  const keyword_data = keywords.map((keyword) => ({ keyword, url: "https://garden.example/moss" }));
  const body = { pinterest_account: accountId, board_id: boardId, quality: "standard", keyword_data };
  await user.call("/api/users/pinterest/generate-pins/", { method: "POST", body });
  const made = async () => (await postsOf(maker)).length === keywords.length;
  await until(made, { deadlineMs: 60_000, what: "the drafts" });
  return maker;
};

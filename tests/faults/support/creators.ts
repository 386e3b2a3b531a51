import type { AccountId } from "#lib/core/ids.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import type { SignedInUser } from "#tests/support/app-client.ts";
import type { Product } from "./product.ts";

/** A user with a Pinterest account and a board. */
export interface Creator {
  user: SignedInUser;
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

const insertCreator = async ({ client, pinterest }: Product): Promise<Creator> => {
  const user = await client.signUp();
  const { id: userId } = Object((await user.call("/api/users/me/")).json);
  const { id: accountId, username } = await client.connectOverHttp(user);
  const board = (await pinterest.boardsOf(username)).find(({ privacy }) => privacy === "PUBLIC");
  if (!isId("user", userId) || !isId("account", accountId) || !board) throw new Error("This user cannot publish.");
  return { user, userId, accountId, username, boardId: board.id };
};

/** Signs up users over HTTP and connects an account for each. */
export const insertCreators = (product: Product, count: number): Promise<Creator[]> =>
  Promise.all(Array.from({ length: count }, () => insertCreator(product)));

/** Posts a JSON body and returns the response's object. @throws if the status is not 200. */
export const post = async ({ user }: Creator, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const answer = await user.call(path, { method: "POST", body });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return Object(answer.json);
};

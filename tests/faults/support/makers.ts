import type { AccountId } from "#lib/core/ids.ts";
import { isId, type UserId } from "#lib/core/ids.ts";
import type { SignedInUser } from "#tests/support/app-client.ts";
import type { Product } from "./product.ts";

/** A user with a Pinterest account of their own and a board to publish on. */
export interface Maker {
  user: SignedInUser;
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

const makeMaker = async ({ client, pinterest }: Product): Promise<Maker> => {
  const user = await client.signUp();
  const { id: userId } = Object((await user.call("/api/users/me/")).json);
  const { id: accountId, username } = await client.connectOverHttp(user);
  const board = (await pinterest.boardsOf(username)).find(({ privacy }) => privacy === "PUBLIC");
  if (!isId("user", userId) || !isId("account", accountId) || !board) throw new Error("This user cannot publish.");
  return { user, userId, accountId, username, boardId: board.id };
};

/** Registers so many users and connects each one's account, all over HTTP. */
export const makeMakers = (product: Product, count: number): Promise<Maker[]> =>
  Promise.all(Array.from({ length: count }, () => makeMaker(product)));

/** Calls with a JSON body and returns the answer's object. @throws when the status is not 200. */
export const post = async ({ user }: Maker, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const answer = await user.call(path, { method: "POST", body });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return Object(answer.json);
};

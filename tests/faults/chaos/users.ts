import type { AccountId, UserId } from "#lib/core/ids.ts";
import { isId } from "#lib/core/ids.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import type { AppResponse, SignedInUser } from "#tests/support/app-client.ts";
import { mapConcurrent, within } from "./bounded.ts";
import type { TestStack } from "./stack.ts";

/** A user with a Pinterest account and a board. */
export interface TestUser {
  user: SignedInUser;
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

const CALL_MS = 60_000;
const SIGN_UP_CONCURRENCY = 4;
/** More than the pins cost, so that missing or duplicate credits show. */
const SPARE_CREDITS = 7;

/** Signs up users over HTTP, connects an account for each, and grants the credits for their pins. */
export const createUsers = (stack: TestStack, count: number, pinsEach: number): Promise<TestUser[]> =>
  mapConcurrent(Array.from({ length: count }), SIGN_UP_CONCURRENCY, async () => {
    const user = await within(stack.client.signUp(), CALL_MS, "a user to sign up");
    const { id: userId } = Object((await callAs(user, "/api/users/me/")).json);
    const { id: accountId, username } = await within(stack.client.connectOverHttp(user), CALL_MS, "a connection");
    const boards = await within(stack.pinterest.boardsOf(username), CALL_MS, "the boards");
    const board = boards.find(({ privacy }) => privacy === "PUBLIC");
    if (!isId("user", userId) || !isId("account", accountId) || !board) throw new Error("This user cannot publish.");
    const credits = pinsEach * COST_CREDITS.high + SPARE_CREDITS;
    await grantCredits(stack.ctx, { userId, credits, note: "For a run", cause: `faults:${userId}` });
    return { user, userId, accountId, username, boardId: board.id };
  });

/** Calls the app as a user, with a timeout. @throws if there is no response, for instance while the app is dead */
export const callAs = (user: SignedInUser, path: string, body?: unknown): Promise<AppResponse> =>
  within(user.call(path, body === undefined ? {} : { method: "POST", body }), CALL_MS, path);

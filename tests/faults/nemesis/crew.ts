import type { AccountId, UserId } from "#lib/core/ids.ts";
import { isId } from "#lib/core/ids.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import type { Answered, SignedInUser } from "#tests/support/app-client.ts";
import { inLanes, within } from "./bounded.ts";
import type { World } from "./world.ts";

/** A user with a Pinterest account of their own and a board to publish on. */
export interface Person {
  user: SignedInUser;
  userId: UserId;
  accountId: AccountId;
  username: string;
  boardId: string;
}

const CALL_MS = 60_000;
const SIGN_UP_LANES = 4;
/** More than the pins cost, so that a credit that went missing or came twice would show. */
const SPARE_CREDITS = 7;

/** Registers so many users over HTTP, connects each one's account, and grants what so many pins of theirs may cost. */
export const gatherCrew = (world: World, count: number, pinsEach: number): Promise<Person[]> =>
  inLanes(Array.from({ length: count }), SIGN_UP_LANES, async () => {
    const user = await within(world.client.signUp(), CALL_MS, "a user to sign up");
    const { id: userId } = Object((await callAs(user, "/api/users/me/")).json);
    const { id: accountId, username } = await within(world.client.connectOverHttp(user), CALL_MS, "a connection");
    const boards = await within(world.pinterest.boardsOf(username), CALL_MS, "the boards");
    const board = boards.find(({ privacy }) => privacy === "PUBLIC");
    if (!isId("user", userId) || !isId("account", accountId) || !board) throw new Error("This user cannot publish.");
    const credits = pinsEach * COST_CREDITS.high + SPARE_CREDITS;
    await grantCredits(world.ctx, { userId, credits, note: "For a run", cause: `faults:${userId}` });
    return { user, userId, accountId, username, boardId: board.id };
  });

/** Calls the app as a user, with a bound. @throws when there is no answer, as while the app is dead */
export const callAs = (user: SignedInUser, path: string, body?: unknown): Promise<Answered> =>
  within(user.call(path, body === undefined ? {} : { method: "POST", body }), CALL_MS, path);

import { afterAll, beforeAll } from "vitest";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { PinId } from "#lib/core/ids.ts";
import type { SignedInUser } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import type { TestAccount } from "#tests/support/fixtures/accounts.ts";
import { type Fixtures, fixturesOf, type RunningProduct } from "#tests/support/fixtures/product.ts";

/** A signed-in user with a connected account. */
export interface Owner {
  user: SignedInUser;
  account: TestAccount;
  boardId: string;
}

type ContractFixtures = Fixtures & {
  /** Pinterest was called for a scheduled pin, and hasn't responded. */
  callingAttempt(pinId: PinId): Promise<void>;
};

/** Users that are inserted, for the calling file: connecting and generating over HTTP takes seconds. */
export const ownersFor = (product: () => RunningProduct) => {
  let opened: ContractFixtures | undefined;
  const fixtures = (): ContractFixtures => {
    if (!opened) throw new Error("Fixtures exist from beforeAll on.");
    return opened;
  };
  beforeAll(() => {
    const own = fixturesOf(product());
    const callingAttempt = async (pinId: PinId): Promise<void> => {
      const now = new Date();
      const facts = { id: `att_${pinId}`, pinId, scheduleGeneration: 1, number: 1 };
      await own.db.insert(publishAttempts).values({ ...facts, state: "calling", armedAt: now, calledAt: now });
    };
    opened = Object.assign(own, { callingAttempt });
  });
  afterAll(() => opened?.close());
  const insertOwner = async (status: "connected" | "reconnect_needed" = "connected"): Promise<Owner> => {
    const made = await fixtures().user();
    const { token } = await fixtures().login(made);
    const call: SignedInUser["call"] = (path, options = {}) =>
      callApp(path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });
    const user = { email: made.email, token, call };
    const account = await fixtures().account(made, { status });
    return { user, account, boardId: account.boards[0]?.id ?? "" };
  };
  return { fixtures, insertOwner };
};

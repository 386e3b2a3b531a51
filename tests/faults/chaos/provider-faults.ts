import { inArray, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { becomes, within } from "./bounded.ts";
import { type Fault, type FaultContext, waitAdvancingClock } from "./fault.ts";
import { reading } from "./requests.ts";
import { callAs } from "./users.ts";

const CREATE = "POST /v5/pins";
const CONTROL_MS = 20_000;

interface Plan {
  scenario: string;
  /** How many of a user's calls it affects. */
  times(pins: number): number;
}

const half = (pins: number): number => Math.ceil(pins / 2);

/** Injects scenarios of the stand-in for individual accounts. */
function scenarioFault(name: string, what: string, plans: readonly Plan[]): Fault {
  return {
    name,
    what,
    phase: "publishing",
    isLocal: true,
    arm: async (context) => {
      for (const [index, testUser] of context.testUsers.entries()) {
        const plan = plans[index % plans.length];
        const pins = context.pinRequests.filter((pinRequest) => pinRequest.testUser === testUser).length;
        if (!plan || pins === 0) continue;
        const rule = { match: CREATE, scenario: plan.scenario, times: plan.times(pins) };
        await within(
          context.stack.pinterest.addFault({ ...rule, where: { account: testUser.username } }),
          CONTROL_MS,
          "the stand-in to take a fault",
        );
        context.injected(rule.times);
      }
    },
    clear: async (context) => {
      const left = await unusedFaults(context);
      context.injected(-left);
    },
  };
}

/** Counts faults of these users that no call has triggered. */
async function unusedFaults({ stack, testUsers }: FaultContext): Promise<number> {
  const answer = await fetch(`${stack.pinterest.url}/__control/faults`, { signal: AbortSignal.timeout(CONTROL_MS) });
  const { faults } = await answer.json();
  const names = new Set(testUsers.map(({ username }) => username));
  const stored: { times: number; where?: { account?: string } }[] = faults;
  return stored.filter(({ where }) => names.has(where?.account ?? "")).reduce((sum, { times }) => sum + times, 0);
}

/** Faults of the call that creates a pin. */
export const providerFaults: readonly Fault[] = [
  scenarioFault("429-with-retry-after", "429 with Retry-After", [
    { scenario: "rate-limited-retry-after", times: half },
  ]),
  scenarioFault("429-without-retry-after", "429 without Retry-After", [{ scenario: "rate-limited-bare", times: half }]),
  scenarioFault("500", "500, for every other account after the pin was created", [
    { scenario: "server-error-after-creating", times: half },
    { scenario: "server-error", times: half },
  ]),
  scenarioFault("503", "503", [{ scenario: "unavailable", times: half }]),
  scenarioFault("reply-cut", "the reply is cut after the pin was created", [
    { scenario: "reply-lost-after-creating", times: half },
  ]),
  scenarioFault("hang", "a timeout, for every other account after the pin was created", [
    { scenario: "hang-after-creating", times: () => 1 },
    { scenario: "hang", times: () => 1 },
  ]),
  scenarioFault("malformed", "a response that is not JSON, after the pin was created", [
    { scenario: "malformed-after-creating", times: half },
  ]),
  scenarioFault("401-once", "401 in the middle of a batch; the tokens can be renewed", [
    { scenario: "token-dead", times: () => 1 },
  ]),
  revoked(),
  refreshRace(),
  listingLag(),
];

/** The owner revokes access in the middle of a batch, and reconnects. */
function revoked(): Fault {
  return {
    name: "401-revoked",
    what: "all tokens die in the middle of a batch; the owner connects again",
    phase: "publishing",
    isLocal: true,
    arm: async ({ stack, testUsers, injected }) => {
      for (const { username } of testUsers) {
        await within(stack.pinterest.revoke(username), CONTROL_MS, "tokens to be revoked");
        injected();
      }
    },
    inject: async (context) => {
      const { stack, testUsers, complain } = context;
      const areMarked = async () => (await statuses(context)).every((item) => item !== "connected");
      const isNoticed = await waitAdvancingClock(stack, (ms) => becomes(areMarked, ms, 200));
      if (!isNoticed) complain("revoked accounts are not marked");
      for (const { user, username, accountId } of testUsers) {
        const query = `?account_id=${accountId}`;
        const walked = await within(stack.client.completeConsent(user, { username }, query), CONTROL_MS, "a consent");
        const headers = { cookie: walked.cookie };
        await within(stack.client.callApp(walked.callbackPath, { headers }), CONTROL_MS, "the way back");
      }
      if (!(await statuses(context)).every((item) => item === "connected"))
        complain("not every account is connected again");
    },
  };
}

const statuses = async ({ stack, testUsers }: FaultContext): Promise<string[]> => {
  const ids = testUsers.map(({ accountId }) => accountId);
  const { db } = stack.ctx;
  const rows = await reading(() => db.select().from(pinterestAccounts).where(inArray(pinterestAccounts.id, ids)));
  return rows.map(({ status }) => status);
};

/** Access tokens have expired, and several workers refresh them at once: a refresh token works only once. */
function refreshRace(): Fault {
  return {
    name: "refresh-race",
    what: "expired access tokens, renewed by several workers at once",
    phase: "publishing",
    isLocal: true,
    inject: async ({ stack, testUsers, injected, complain }) => {
      const ids = testUsers.map(({ accountId }) => accountId);
      const past = sql`${stack.clocks.now().toISOString()}::timestamptz - interval '1 hour'`;
      const expire = () =>
        stack.ctx.db.update(pinterestAccounts).set({ accessExpiresAt: past }).where(inArray(pinterestAccounts.id, ids));
      await reading(expire);
      const reads = testUsers.flatMap(({ user, accountId }) => {
        injected();
        return [1, 2, 3].map(() => callAs(user, `/api/users/pinterest/boards/${accountId}/`));
      });
      const responses = await Promise.allSettled(reads);
      const bad = responses.filter((answer) => answer.status === "rejected" || answer.value.status !== 200);
      if (bad.length > 0) complain(`${bad.length} of ${responses.length} reads failed while tokens were renewed`);
    },
    clear: async (context) => {
      if (!(await statuses(context)).every((item) => item === "connected"))
        context.complain("an account was disconnected");
    },
  };
}

const LAG_MS = 12_000;

/** Replies are cut, and the board's listing shows a new pin only after some seconds. */
function listingLag(): Fault {
  const cut = scenarioFault("listing-lags", "the reply is cut, and the board's listing lags by seconds", [
    { scenario: "reply-lost-after-creating", times: half },
  ]);
  return {
    ...cut,
    arm: async (context) => {
      const { proxies, clocks } = context.stack;
      const boards = new Set(context.testUsers.map(({ boardId }) => boardId));
      proxies.pinterest.rewrite = ({ path, status }, body) => {
        const board = /^\/v5\/boards\/(\d+)\/pins$/.exec(path)?.[1];
        if (status !== 200 || !board || !boards.has(board)) return undefined;
        return withoutNewest(body, new Date(clocks.now().getTime() - LAG_MS));
      };
      await cut.arm?.(context);
    },
    clear: async (context) => {
      context.stack.proxies.pinterest.rewrite = undefined;
      await cut.clear?.(context);
    },
  };
}

const withoutNewest = (body: string, newest: Date): string => {
  const listing: { items: { created_at: string }[] } = JSON.parse(body);
  const items = listing.items.filter((item) => Date.parse(`${item.created_at.replace(/Z$/, "")}Z`) <= newest.getTime());
  return JSON.stringify({ ...listing, items });
};

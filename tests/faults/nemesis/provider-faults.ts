import { inArray, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { reading } from "./asks.ts";
import { becomes, within } from "./bounded.ts";
import { callAs } from "./crew.ts";
import { type Fault, nudgedUntil, type Scene } from "./fault.ts";

const CREATE = "POST /v5/pins";
const CONTROL_MS = 20_000;

interface Plan {
  scenario: string;
  /** How many of a person's calls it strikes. */
  times(pins: number): number;
}

const half = (pins: number): number => Math.ceil(pins / 2);

/** Scenarios of the stand-in that strike calls of single accounts. */
function struck(name: string, what: string, plans: readonly Plan[]): Fault {
  return {
    name,
    what,
    phase: "publishing",
    isLocal: true,
    arm: async (scene) => {
      for (const [index, person] of scene.people.entries()) {
        const plan = plans[index % plans.length];
        const pins = scene.asks.filter((ask) => ask.person === person).length;
        if (!plan || pins === 0) continue;
        const rule = { match: CREATE, scenario: plan.scenario, times: plan.times(pins) };
        await within(
          scene.world.pinterest.strike({ ...rule, where: { account: person.username } }),
          CONTROL_MS,
          "the stand-in to take a fault",
        );
        scene.injected(rule.times);
      }
    },
    clear: async (scene) => {
      const left = await leftOver(scene);
      scene.injected(-left);
    },
  };
}

/** Faults in store for these people that no call met. */
async function leftOver({ world, people }: Scene): Promise<number> {
  const answer = await fetch(`${world.pinterest.url}/__control/faults`, { signal: AbortSignal.timeout(CONTROL_MS) });
  const { faults } = await answer.json();
  const names = new Set(people.map(({ username }) => username));
  const mine: { times: number; where?: { account?: string } }[] = faults;
  return mine.filter(({ where }) => names.has(where?.account ?? "")).reduce((sum, { times }) => sum + times, 0);
}

/** What Pinterest can do to a call that creates a pin. */
export const providerFaults: readonly Fault[] = [
  struck("429-with-retry-after", "429 with Retry-After", [{ scenario: "rate-limited-retry-after", times: half }]),
  struck("429-without-retry-after", "429 without Retry-After", [{ scenario: "rate-limited-bare", times: half }]),
  struck("500", "500, for every other account after the pin was created", [
    { scenario: "server-error-after-creating", times: half },
    { scenario: "server-error", times: half },
  ]),
  struck("503", "503", [{ scenario: "unavailable", times: half }]),
  struck("reply-cut", "the reply is cut after the pin was created", [
    { scenario: "reply-lost-after-creating", times: half },
  ]),
  struck("hang", "no answer within the time, for every other account after the pin was created", [
    { scenario: "hang-after-creating", times: () => 1 },
    { scenario: "hang", times: () => 1 },
  ]),
  struck("malformed", "an answer that is no JSON, after the pin was created", [
    { scenario: "malformed-after-creating", times: half },
  ]),
  struck("401-once", "401 in the middle of a batch; the tokens can be renewed", [
    { scenario: "token-dead", times: () => 1 },
  ]),
  revoked(),
  refreshRace(),
  laggingBoard(),
];

/** The owner takes the permission away in the middle of a batch, and connects again. */
function revoked(): Fault {
  return {
    name: "401-revoked",
    what: "all tokens die in the middle of a batch; the owner connects again",
    phase: "publishing",
    isLocal: true,
    arm: async ({ world, people, injected }) => {
      for (const { username } of people) {
        await within(world.pinterest.revoke(username), CONTROL_MS, "tokens to be revoked");
        injected();
      }
    },
    strike: async (scene) => {
      const { world, people, complain } = scene;
      const areMarked = async () => (await statuses(scene)).every((one) => one !== "connected");
      const isNoticed = await nudgedUntil(world, (ms) => becomes(areMarked, ms, 200));
      if (!isNoticed) complain("revoked accounts are not marked");
      for (const { user, username, accountId } of people) {
        const query = `?account_id=${accountId}`;
        const walked = await within(world.client.walkConsent(user, { username }, query), CONTROL_MS, "a consent");
        const headers = { cookie: walked.cookie };
        await within(world.client.callApp(walked.callbackPath, { headers }), CONTROL_MS, "the way back");
      }
      if (!(await statuses(scene)).every((one) => one === "connected"))
        complain("not every account is connected again");
    },
  };
}

const statuses = async ({ world, people }: Scene): Promise<string[]> => {
  const ids = people.map(({ accountId }) => accountId);
  const { db } = world.ctx;
  const rows = await reading(() => db.select().from(pinterestAccounts).where(inArray(pinterestAccounts.id, ids)));
  return rows.map(({ status }) => status);
};

/** Access tokens have run out, and several workers renew them at once: a refresh token dies by being used. */
function refreshRace(): Fault {
  return {
    name: "refresh-race",
    what: "expired access tokens, renewed by several workers at once",
    phase: "publishing",
    isLocal: true,
    strike: async ({ world, people, injected, complain }) => {
      const ids = people.map(({ accountId }) => accountId);
      const past = sql`${world.clocks.now().toISOString()}::timestamptz - interval '1 hour'`;
      const expire = () =>
        world.ctx.db.update(pinterestAccounts).set({ accessExpiresAt: past }).where(inArray(pinterestAccounts.id, ids));
      await reading(expire);
      const reads = people.flatMap(({ user, accountId }) => {
        injected();
        return [1, 2, 3].map(() => callAs(user, `/api/users/pinterest/boards/${accountId}/`));
      });
      const answers = await Promise.allSettled(reads);
      const bad = answers.filter((answer) => answer.status === "rejected" || answer.value.status !== 200);
      if (bad.length > 0) complain(`${bad.length} of ${answers.length} reads failed while tokens were renewed`);
    },
    clear: async (scene) => {
      if (!(await statuses(scene)).every((one) => one === "connected")) scene.complain("an account was disconnected");
    },
  };
}

const LAG_MS = 12_000;

/** Replies are cut, and the board's listing shows a pin only seconds after it was made. */
function laggingBoard(): Fault {
  const cut = struck("listing-lags", "the reply is cut, and the board's listing lags by seconds", [
    { scenario: "reply-lost-after-creating", times: half },
  ]);
  return {
    ...cut,
    arm: async (scene) => {
      const { proxies, clocks } = scene.world;
      const boards = new Set(scene.people.map(({ boardId }) => boardId));
      proxies.pinterest.rewrite = ({ path, status }, body) => {
        const board = /^\/v5\/boards\/(\d+)\/pins$/.exec(path)?.[1];
        if (status !== 200 || !board || !boards.has(board)) return undefined;
        return withoutNewest(body, new Date(clocks.now().getTime() - LAG_MS));
      };
      await cut.arm?.(scene);
    },
    clear: async (scene) => {
      scene.world.proxies.pinterest.rewrite = undefined;
      await cut.clear?.(scene);
    },
  };
}

const withoutNewest = (body: string, newest: Date): string => {
  const listing: { items: { created_at: string }[] } = JSON.parse(body);
  const items = listing.items.filter((item) => Date.parse(`${item.created_at.replace(/Z$/, "")}Z`) <= newest.getTime());
  return JSON.stringify({ ...listing, items });
};

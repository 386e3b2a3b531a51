import { inArray } from "drizzle-orm";
import { creditBalances, creditLines, creditReservations, creditTransfers } from "#db/schema/credits.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { UserId } from "#lib/core/ids.ts";
import { within } from "./bounded.ts";
import type { CreatedPin, History, PinRequestHistory, Transfer } from "./history.ts";
import { type PinRequest, reading, readPins, readTasks } from "./requests.ts";
import type { TestStack } from "./stack.ts";
import type { TestUser } from "./users.ts";

const READ_MS = 60_000;

/** Reads the outcome of a run, once everything has settled or at its deadline. */
export async function readHistory(
  stack: TestStack,
  allUsers: readonly TestUser[],
  pinRequests: readonly PinRequest[],
): Promise<History> {
  const { ctx } = stack;
  const userIds = new Set(allUsers.map(({ userId }) => userId));
  const users = [...userIds];
  const reservations = await reading(() =>
    ctx.db.select().from(creditReservations).where(inArray(creditReservations.userId, users)),
  );
  const balances = await reading(() =>
    ctx.db.select().from(creditBalances).where(inArray(creditBalances.userId, users)),
  );
  return {
    pinRequests: await readPinRequests(stack, pinRequests),
    created: await readCreated(stack, allUsers),
    requests: await readRequests(stack),
    transfers: await readTransfers(stack, users),
    reservations: reservations.map(({ fromAllowance, fromPurchased, ...rest }) => ({
      ...rest,
      credits: fromAllowance + fromPurchased,
    })),
    balances: balances.map(({ userId, allowance, purchased, held }) => {
      return { userId, available: allowance + purchased, held };
    }),
    modelCalls: readModelCalls(stack, pinRequests),
  };
}

async function readPinRequests(stack: TestStack, pinRequests: readonly PinRequest[]): Promise<PinRequestHistory[]> {
  const tasks = Map.groupBy(await readTasks(stack, pinRequests), ({ url }) => url);
  const pins = await readPins(stack, pinRequests);
  const pinIds = pins.map(({ id }) => id);
  const attempts = await reading(() =>
    stack.ctx.db.select().from(publishAttempts).where(inArray(publishAttempts.pinId, pinIds)),
  );
  const calls = Map.groupBy(attempts, ({ pinId }) => pinId);
  const pinsByUrl = Map.groupBy(pins, ({ link }) => link);
  return pinRequests.map((pinRequest) => ({
    n: pinRequest.n,
    url: pinRequest.url,
    keyword: pinRequest.keyword,
    userId: pinRequest.testUser.userId,
    generationFault: pinRequest.generationFault,
    publishingFault: pinRequest.publishingFault,
    wantedAt: pinRequest.wantedAt,
    tasks: tasks.get(pinRequest.url) ?? [],
    pins: (pinsByUrl.get(pinRequest.url) ?? []).map((pin) => ({
      ...pin,
      calls: (calls.get(pin.id) ?? []).flatMap(({ calledAt }) => calledAt ?? []),
    })),
  }));
}

async function readTransfers({ ctx }: TestStack, users: readonly UserId[]): Promise<Transfer[]> {
  const rows = await reading(() => ctx.db.select().from(creditTransfers).where(inArray(creditTransfers.userId, users)));
  const ids = ctx.db
    .select({ id: creditTransfers.id })
    .from(creditTransfers)
    .where(inArray(creditTransfers.userId, users));
  const lines = await reading(() => ctx.db.select().from(creditLines).where(inArray(creditLines.transferId, ids)));
  const byTransfer = Map.groupBy(lines, ({ transferId }) => transferId);
  return rows.map((row) => ({ ...row, lines: byTransfer.get(row.id) ?? [] }));
}

async function readCreated({ pinterest }: TestStack, allUsers: readonly TestUser[]): Promise<CreatedPin[]> {
  const lists = await Promise.all(
    allUsers.map(({ username }) => within(pinterest.pinsOf(username), READ_MS, "the pins at Pinterest")),
  );
  return lists.flat().map(({ id, link, created_at }) => ({ id, url: link, createdAt: new Date(created_at) }));
}

interface Logged {
  at: string;
  method: string;
  path: string;
  labels?: { link?: string };
  created?: string;
}

/** The stand-in's log of requests to create a pin, including refused and cut ones. */
async function readRequests({ pinterest }: TestStack): Promise<History["requests"]> {
  const answer = await fetch(`${pinterest.url}/__control/log`, { signal: AbortSignal.timeout(READ_MS) });
  const { requests } = await answer.json();
  const logged: Logged[] = requests;
  return logged
    .filter(({ method, path }) => method === "POST" && path === "/v5/pins")
    .map(({ at, labels, created }) => ({ at: new Date(at), url: labels?.link ?? null, created: created ?? null }));
}

/** Model calls as the proxy saw them; each keyword contains the number of its request. */
function readModelCalls({ proxies }: TestStack, pinRequests: readonly PinRequest[]): History["modelCalls"] {
  const keywords = new Map(pinRequests.map(({ n, keyword }) => [n, keyword]));
  return proxies.openAi
    .seen()
    .filter(({ method }) => method === "POST")
    .map(({ at, body }) => ({ at, keyword: keywords.get(Number(/\brequest (\d+)/.exec(body)?.[1])) ?? "" }));
}

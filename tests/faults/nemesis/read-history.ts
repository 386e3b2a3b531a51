import { inArray } from "drizzle-orm";
import { creditBalances, creditLines, creditReservations, creditTransfers } from "#db/schema/credits.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { UserId } from "#lib/core/ids.ts";
import { type Ask, reading, readPins, readTasks } from "./asks.ts";
import { within } from "./bounded.ts";
import type { Person } from "./crew.ts";
import type { AskHistory, CreatedPin, History, Transfer } from "./history.ts";
import type { World } from "./world.ts";

const READ_MS = 60_000;

/** Reads what a run left behind: once everything has settled, or at the run's deadline. */
export async function readHistory(world: World, crew: readonly Person[], asks: readonly Ask[]): Promise<History> {
  const { ctx } = world;
  const mine = new Set(crew.map(({ userId }) => userId));
  const users = [...mine];
  const reservations = await reading(() =>
    ctx.db.select().from(creditReservations).where(inArray(creditReservations.userId, users)),
  );
  const balances = await reading(() =>
    ctx.db.select().from(creditBalances).where(inArray(creditBalances.userId, users)),
  );
  return {
    asks: await readAsks(world, asks),
    created: await readCreated(world, crew),
    requests: await readRequests(world),
    transfers: await readTransfers(world, users),
    reservations: reservations.map(({ fromAllowance, fromPurchased, ...rest }) => ({
      ...rest,
      credits: fromAllowance + fromPurchased,
    })),
    balances: balances.map(({ userId, allowance, purchased, held }) => {
      return { userId, available: allowance + purchased, held };
    }),
    modelCalls: readModelCalls(world, asks),
  };
}

async function readAsks(world: World, asks: readonly Ask[]): Promise<AskHistory[]> {
  const tasks = Map.groupBy(await readTasks(world, asks), ({ url }) => url);
  const pins = await readPins(world, asks);
  const pinIds = pins.map(({ id }) => id);
  const attempts = await reading(() =>
    world.ctx.db.select().from(publishAttempts).where(inArray(publishAttempts.pinId, pinIds)),
  );
  const calls = Map.groupBy(attempts, ({ pinId }) => pinId);
  const pinsByUrl = Map.groupBy(pins, ({ link }) => link);
  return asks.map((ask) => ({
    n: ask.n,
    url: ask.url,
    keyword: ask.keyword,
    userId: ask.person.userId,
    makingFault: ask.makingFault,
    publishingFault: ask.publishingFault,
    wantedAt: ask.wantedAt,
    tasks: tasks.get(ask.url) ?? [],
    pins: (pinsByUrl.get(ask.url) ?? []).map((pin) => ({
      ...pin,
      calls: (calls.get(pin.id) ?? []).flatMap(({ calledAt }) => calledAt ?? []),
    })),
  }));
}

async function readTransfers({ ctx }: World, users: readonly UserId[]): Promise<Transfer[]> {
  const rows = await reading(() => ctx.db.select().from(creditTransfers).where(inArray(creditTransfers.userId, users)));
  const ids = ctx.db
    .select({ id: creditTransfers.id })
    .from(creditTransfers)
    .where(inArray(creditTransfers.userId, users));
  const lines = await reading(() => ctx.db.select().from(creditLines).where(inArray(creditLines.transferId, ids)));
  const byTransfer = Map.groupBy(lines, ({ transferId }) => transferId);
  return rows.map((row) => ({ ...row, lines: byTransfer.get(row.id) ?? [] }));
}

async function readCreated({ pinterest }: World, crew: readonly Person[]): Promise<CreatedPin[]> {
  const lists = await Promise.all(
    crew.map(({ username }) => within(pinterest.pinsOf(username), READ_MS, "the pins at Pinterest")),
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

/** The stand-in's own log of the requests that were to create a pin, refused and cut ones included. */
async function readRequests({ pinterest }: World): Promise<History["requests"]> {
  const answer = await fetch(`${pinterest.url}/__control/log`, { signal: AbortSignal.timeout(READ_MS) });
  const { requests } = await answer.json();
  const logged: Logged[] = requests;
  return logged
    .filter(({ method, path }) => method === "POST" && path === "/v5/pins")
    .map(({ at, labels, created }) => ({ at: new Date(at), url: labels?.link ?? null, created: created ?? null }));
}

/** Requests to the models, as the proxy before them saw them; each of our keywords carries the number of its ask. */
function readModelCalls({ proxies }: World, asks: readonly Ask[]): History["modelCalls"] {
  const keywords = new Map(asks.map(({ n, keyword }) => [n, keyword]));
  return proxies.openAi
    .seen()
    .filter(({ method }) => method === "POST")
    .map(({ at, body }) => ({ at, keyword: keywords.get(Number(/\bask (\d+)/.exec(body)?.[1])) ?? "" }));
}

import { eq, sql } from "drizzle-orm";
import sharp from "sharp";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { createRandom } from "#tests/support/random.ts";
import { becomes, delay, within } from "./bounded.ts";
import type { Person } from "./crew.ts";
import type { World } from "./world.ts";

/** What a handler that knows nothing of attempts does under the same faults of the provider; for comparison only. */
export interface NaiveResult {
  pins: number;
  duplicated: number;
  lost: number;
}

const CREATE = "POST /v5/pins";
const WORKERS = 8;
const TRIES = 5;
/** What is not acknowledged after this time is handed out again. */
const LEASE_MS = 1_500;
const CALL_MS = 2_000;
/** How often a worker without work looks for some, as the workers of a queue do. */
const LOOK_EVERY_MS = 50;
const RUN_MS = 180_000;
/** One in so many calls dies between the answer and its acknowledgement. */
const DIES_ONE_IN = 20;
/** Struck so that about a third of the calls meet one. */
const SCENARIOS = [
  "reply-lost-after-creating",
  "server-error-after-creating",
  "malformed-after-creating",
  "hang-after-creating",
  "rate-limited-retry-after",
  "rate-limited-bare",
  "server-error",
  "unavailable",
];

/** Takes a row, calls, acknowledges: as most queues' handlers do. Its table is its own. */
export async function runNaive(
  world: World,
  people: readonly Person[],
  seed: number,
  pins: number,
): Promise<NaiveResult> {
  const { db } = world.ctx;
  await db.execute(sql.raw("create schema naive"));
  await db.execute(
    sql.raw(
      "create table naive.pin (id int primary key, state text not null, tries int not null, taken_at timestamptz)",
    ),
  );
  await db.execute(sql`insert into naive.pin select n, 'due', 0, null from generate_series(1, ${pins}) as n`);
  const before = new Set((await pinsOf(world, people)).map(({ id }) => id));
  await strikeAll(world, people, seed, pins);
  const call = callWith(world, await Promise.all(people.map((person) => senderOf(world, person))), await paint());
  const random = createRandom(seed);
  const stop = new AbortController();
  const lanes = Array.from({ length: WORKERS }, () =>
    work(world, call, () => random.below(DIES_ONE_IN) === 0, stop.signal),
  );
  await becomes(() => isOver(world), RUN_MS, 200);
  stop.abort();
  await within(Promise.all(lanes), CALL_MS * 2, "the plain workers to end");
  await world.pinterest.clearFaults();
  const there = (await pinsOf(world, people)).filter(({ id }) => !before.has(id));
  const titles = new Set(there.map(({ title }) => title));
  return { pins, duplicated: there.length - titles.size, lost: pins - titles.size };
}

const pinsOf = async ({ pinterest }: World, people: readonly Person[]) =>
  (await Promise.all(people.map(({ username }) => pinterest.pinsOf(username)))).flat();

async function strikeAll({ pinterest }: World, people: readonly Person[], seed: number, pins: number): Promise<void> {
  const random = createRandom(seed);
  for (let count = 0; count < Math.ceil(pins / 3); count += 1) {
    const scenario = SCENARIOS[random.below(SCENARIOS.length)];
    const account = people[count % people.length]?.username ?? "";
    const skip = random.below(Math.ceil(pins / people.length));
    await pinterest.strike({ match: CREATE, ...(scenario !== undefined && { scenario }), skip, where: { account } });
  }
}

interface Sender {
  token: string;
  boardId: string;
}

const senderOf = async ({ ctx }: World, { accountId, boardId }: Person): Promise<Sender> => {
  const [account] = await ctx.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, accountId));
  return { token: ctx.sealer.open(account?.accessTokenSealed ?? ""), boardId };
};

type Call = (id: number) => Promise<boolean>;

function callWith({ proxies }: World, senders: readonly Sender[], jpeg: Buffer): Call {
  const media_source = { source_type: "image_base64", content_type: "image/jpeg", data: jpeg.toString("base64") };
  return async (id) => {
    const sender = senders[id % senders.length];
    const answer = await fetch(`${proxies.pinterest.url}/v5/pins`, {
      method: "POST",
      headers: { authorization: `Bearer ${sender?.token}`, "content-type": "application/json" },
      body: JSON.stringify({ board_id: sender?.boardId, title: `Plain ${id}`, media_source }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    if (!answer.ok) return false;
    await answer.json();
    return true;
  };
}

const paint = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 450, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();

async function work(world: World, call: Call, dies: () => boolean, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const id = await take(world);
    if (id === undefined) {
      await delay(LOOK_EVERY_MS);
      continue;
    }
    // Whatever went wrong, the row is handed out again when its time is over.
    const isDone = await call(id).catch(() => false);
    if (isDone && !dies()) await world.ctx.db.execute(sql`update naive.pin set state = 'done' where id = ${id}`);
  }
}

async function take({ ctx }: World): Promise<number | undefined> {
  const rows = await ctx.db.execute<{ id: number }>(sql`
    update naive.pin set state = 'taken', tries = tries + 1, taken_at = pg_catalog.clock_timestamp()
    where id = (select id from naive.pin where tries < ${TRIES} and (state = 'due' or (state = 'taken'
      and taken_at < pg_catalog.clock_timestamp() - ${`${LEASE_MS} milliseconds`}::interval))
      order by id limit 1 for update skip locked)
    returning id`);
  return rows[0]?.id;
}

async function isOver({ ctx }: World): Promise<boolean> {
  const rows = await ctx.db.execute(sql`select 1 from naive.pin where state <> 'done' and tries < ${TRIES} limit 1`);
  return rows.length === 0;
}

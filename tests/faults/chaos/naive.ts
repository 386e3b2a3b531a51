import { eq, sql } from "drizzle-orm";
import sharp from "sharp";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { createRandom } from "#tests/support/random.ts";
import { becomes, delay, within } from "./bounded.ts";
import type { TestStack } from "./stack.ts";
import type { TestUser } from "./users.ts";

/** Outcome of a handler without an attempt log under the same provider faults, for comparison. */
export interface NaiveResult {
  pins: number;
  duplicated: number;
  lost: number;
}

const CREATE = "POST /v5/pins";
const WORKERS = 8;
const TRIES = 5;
/** Unacknowledged jobs are handed out again after this time. */
const LEASE_MS = 1_500;
const CALL_MS = 2_000;
/** Poll interval of idle workers. */
const POLL_INTERVAL_MS = 50;
const RUN_MS = 180_000;
/** One call in this many crashes between the response and its acknowledgment. */
const CRASH_ONE_IN = 20;
/** Enough faults that about a third of the calls are affected. */
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

/** Claims a row, calls, acknowledges, like most queue handlers. Uses its own table. */
export async function runNaive(
  stack: TestStack,
  testUsers: readonly TestUser[],
  seed: number,
  pins: number,
): Promise<NaiveResult> {
  const { db } = stack.ctx;
  await db.execute(sql.raw("create schema naive"));
  await db.execute(
    sql.raw(
      "create table naive.pin (id int primary key, state text not null, tries int not null, taken_at timestamptz)",
    ),
  );
  await db.execute(sql`insert into naive.pin select n, 'due', 0, null from generate_series(1, ${pins}) as n`);
  const before = new Set((await pinsOf(stack, testUsers)).map(({ id }) => id));
  await injectAll(stack, testUsers, seed, pins);
  const call = callWith(
    stack,
    await Promise.all(testUsers.map((testUser) => toSender(stack, testUser))),
    await createJpeg(),
  );
  const random = createRandom(seed);
  const stop = new AbortController();
  const concurrency = Array.from({ length: WORKERS }, () =>
    runWorker(stack, call, () => random.below(CRASH_ONE_IN) === 0, stop.signal),
  );
  await becomes(() => isOver(stack), RUN_MS, 200);
  stop.abort();
  await within(Promise.all(concurrency), CALL_MS * 2, "the plain workers to end");
  await stack.pinterest.clearFaults();
  const created = (await pinsOf(stack, testUsers)).filter(({ id }) => !before.has(id));
  const titles = new Set(created.map(({ title }) => title));
  return { pins, duplicated: created.length - titles.size, lost: pins - titles.size };
}

const pinsOf = async ({ pinterest }: TestStack, testUsers: readonly TestUser[]) =>
  (await Promise.all(testUsers.map(({ username }) => pinterest.pinsOf(username)))).flat();

async function injectAll(
  { pinterest }: TestStack,
  testUsers: readonly TestUser[],
  seed: number,
  pins: number,
): Promise<void> {
  const random = createRandom(seed);
  for (let count = 0; count < Math.ceil(pins / 3); count += 1) {
    const scenario = SCENARIOS[random.below(SCENARIOS.length)];
    const account = testUsers[count % testUsers.length]?.username ?? "";
    const skip = random.below(Math.ceil(pins / testUsers.length));
    await pinterest.addFault({ match: CREATE, ...(scenario !== undefined && { scenario }), skip, where: { account } });
  }
}

interface Sender {
  token: string;
  boardId: string;
}

const toSender = async ({ ctx }: TestStack, { accountId, boardId }: TestUser): Promise<Sender> => {
  const [account] = await ctx.db.select().from(pinterestAccounts).where(eq(pinterestAccounts.id, accountId));
  return { token: ctx.sealer.open(account?.accessTokenSealed ?? ""), boardId };
};

type Call = (id: number) => Promise<boolean>;

function callWith({ proxies }: TestStack, senders: readonly Sender[], jpeg: Buffer): Call {
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

const createJpeg = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 450, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();

async function runWorker(stack: TestStack, call: Call, dies: () => boolean, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const id = await claimNext(stack);
    if (id === undefined) {
      await delay(POLL_INTERVAL_MS);
      continue;
    }
    // After any failure the row is handed out again when its lease expires.
    const isDone = await call(id).catch(() => false);
    if (isDone && !dies()) await stack.ctx.db.execute(sql`update naive.pin set state = 'done' where id = ${id}`);
  }
}

async function claimNext({ ctx }: TestStack): Promise<number | undefined> {
  const rows = await ctx.db.execute<{ id: number }>(sql`
    update naive.pin set state = 'taken', tries = tries + 1, taken_at = pg_catalog.clock_timestamp()
    where id = (select id from naive.pin where tries < ${TRIES} and (state = 'due' or (state = 'taken'
      and taken_at < pg_catalog.clock_timestamp() - ${`${LEASE_MS} milliseconds`}::interval))
      order by id limit 1 for update skip locked)
    returning id`);
  return rows[0]?.id;
}

async function isOver({ ctx }: TestStack): Promise<boolean> {
  const rows = await ctx.db.execute(sql`select 1 from naive.pin where state <> 'done' and tries < ${TRIES} limit 1`);
  return rows.length === 0;
}

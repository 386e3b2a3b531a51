import pg from "pg";
import { becomes, delay, within } from "./bounded.ts";
import { type Fault, type FaultContext, type Phase, waitUntilHeld } from "./fault.ts";

const COMMIT = /^\s*commit/i;
/** Duration of faults that must last for a while. */
const FAULT_MS = 2_500;
const AGAIN_MS = 1_000;
/** Maximum number of held commits, and how long to wait for more after the first. */
const HELD_COMMITS = 3;
const OTHERS_MS = 100;
const STATEMENT_MS = 10_000;
const TOO_MANY_CONNECTIONS = "53300";
/** Left for the server itself and for the run's own queries. */
const SPARE_CONNECTIONS = 8;

/** The database is restarted, killed, disconnected during transactions, locked, or out of connections. */
export const databaseFaults: readonly Fault[] = [
  ...both("postgres-restart", "PostgreSQL is restarted", async (context) => {
    await context.stack.postgres.restart();
    context.injected();
  }),
  ...both("postgres-crash", "kill -9 of PostgreSQL, which recovers", async (context) => {
    await context.stack.postgres.crash();
    context.injected();
  }),
  ...both("connections-lost", "every connection to PostgreSQL is cut, three times", async (context) => {
    const { appDatabase, executorDatabase } = context.stack.proxies;
    for (let time = 0; time < 3; time += 1) {
      // Between cuts, clients reconnect if they have something to do.
      await becomes(() => appDatabase.connections() + executorDatabase.connections() > 0, AGAIN_MS);
      context.injected(appDatabase.cutAll() + executorDatabase.cutAll());
    }
  }),
  ...cut("before"),
  ...cut("after"),
  ...both("pool-locked", "a lock makes every connection of the app wait", holdLock),
  ...both("connections-taken", "others have taken all connections of the server", takeConnections),
];

function both(name: string, what: string, inject: (context: FaultContext) => Promise<void>): Fault[] {
  return (["generation", "publishing"] as const).map((phase) => ({
    name: `${name}-${phase}`,
    what: `${what}, ${phase}`,
    phase,
    inject,
  }));
}

/** Cuts connections at commits: before, the work is rolled back; after, the app can't know that it was committed. */
function cut(side: "before" | "after"): Fault[] {
  const following: Record<Phase, RegExp> = { generation: /insert into "pins"/, publishing: /"publish_attempts"/ };
  return (["generation", "publishing"] as const).map((phase) => ({
    name: `cut-${side}-commit-${phase}`,
    what: `connections cut ${side} the commit of a transaction, ${phase}`,
    phase,
    inject: async (context) => {
      const hold = context.stack.proxies.appDatabase.holds.add({
        side,
        at: COMMIT,
        following: following[phase],
        times: HELD_COMMITS,
      });
      try {
        if (await waitUntilHeld(context.stack, hold)) await becomes(() => hold.count() === HELD_COMMITS, OTHERS_MS, 10);
        context.injected(hold.count());
      } finally {
        hold.cut();
      }
    },
  }));
}

const openClient = async (context: FaultContext): Promise<pg.Client> => {
  const url = new URL(context.stack.postgres.url);
  url.pathname = "/evertack";
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  client.on("error", (error) => context.complain(`a connection of this fault broke: ${error.message}`));
  await client.connect();
  return client;
};

const end = (context: FaultContext, client: pg.Client) =>
  within(client.end(), STATEMENT_MS, "a connection to end").catch((error) => context.complain(String(error)));

async function holdLock(context: FaultContext): Promise<void> {
  const client = await openClient(context);
  try {
    const table = context.pinRequests.some(({ wantedAt }) => wantedAt) ? "publish_attempts" : "generation_tasks";
    await client.query("begin");
    await client.query(`lock table ${table} in access exclusive mode`);
    context.injected();
    await delay(FAULT_MS);
    await client.query("rollback");
  } finally {
    await end(context, client);
  }
}

async function takeConnections(context: FaultContext): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    const { rows } = await (await addConnection(clients, context)).query<{ free: number }>(
      `select current_setting('max_connections')::int - count(*)::int as free from pg_stat_activity`,
    );
    const target = Math.max(0, (rows[0]?.free ?? 0) - SPARE_CONNECTIONS);
    for (let count = 0; count < target && (await tryAddConnection(clients, context)); count += 1);
    const { appDatabase, executorDatabase } = context.stack.proxies;
    // With their connections cut, the pools must open new ones, of which few are left.
    appDatabase.cutAll();
    executorDatabase.cutAll();
    context.injected(clients.length);
    await delay(FAULT_MS);
  } finally {
    await Promise.all(clients.map((client) => end(context, client)));
  }
}

/** Returns false once the server has no connections left: the pools may have grown since they were counted. */
async function tryAddConnection(clients: pg.Client[], context: FaultContext): Promise<boolean> {
  try {
    await addConnection(clients, context);
    return true;
  } catch (error) {
    if (Object(error).code === TOO_MANY_CONNECTIONS) return false;
    throw error;
  }
}

async function addConnection(clients: pg.Client[], context: FaultContext): Promise<pg.Client> {
  const client = await openClient(context);
  clients.push(client);
  return client;
}

import pg from "pg";
import { becomes, delay, within } from "./bounded.ts";
import { awaitCaught, type Fault, type Phase, type Scene } from "./fault.ts";

const COMMIT = /^\s*commit/i;
/** How long a fault lasts whose harm is its length. */
const HELD_MS = 2_500;
const AGAIN_MS = 1_000;
/** Moments that are held at most, and how long after the first one the others are waited for. */
const HELD_COMMITS = 3;
const OTHERS_MS = 100;
const STATEMENT_MS = 10_000;
const TOO_MANY_CONNECTIONS = "53300";
/** Left for the server's own needs and for whoever looks at what is going on. */
const SPARE_CONNECTIONS = 8;

/** The database restarted, killed, cut off in the middle of transactions, locked, and taken by others. */
export const databaseFaults: readonly Fault[] = [
  ...both("postgres-restart", "PostgreSQL is restarted", async (scene) => {
    await scene.world.postgres.restart();
    scene.injected();
  }),
  ...both("postgres-crash", "kill -9 of PostgreSQL, which recovers", async (scene) => {
    await scene.world.postgres.crash();
    scene.injected();
  }),
  ...both("connections-lost", "every connection to PostgreSQL is cut, three times", async (scene) => {
    const { appDatabase, executorDatabase } = scene.world.proxies;
    for (let time = 0; time < 3; time += 1) {
      // Between two cuts they connect again, as far as they have anything to ask.
      await becomes(() => appDatabase.connections() + executorDatabase.connections() > 0, AGAIN_MS);
      scene.injected(appDatabase.cutAll() + executorDatabase.cutAll());
    }
  }),
  ...cut("before"),
  ...cut("after"),
  ...both("pool-locked", "a lock makes every connection of the app wait", holdLock),
  ...both("connections-taken", "others have taken all connections of the server", takeConnections),
];

function both(name: string, what: string, strike: (scene: Scene) => Promise<void>): Fault[] {
  return (["making", "publishing"] as const).map((phase) => ({
    name: `${name}-${phase}`,
    what: `${what}, ${phase}`,
    phase,
    strike,
  }));
}

/** Cut at commits: before them the work is undone, after them the app cannot know that it was done. */
function cut(side: "before" | "after"): Fault[] {
  const following: Record<Phase, RegExp> = { making: /insert into "pins"/, publishing: /"publish_attempts"/ };
  return (["making", "publishing"] as const).map((phase) => ({
    name: `cut-${side}-commit-${phase}`,
    what: `connections cut ${side} the commit of a transaction, ${phase}`,
    phase,
    strike: async (scene) => {
      const hold = scene.world.proxies.appDatabase.holds.add({
        side,
        at: COMMIT,
        following: following[phase],
        times: HELD_COMMITS,
      });
      try {
        if (await awaitCaught(scene.world, hold)) await becomes(() => hold.count() === HELD_COMMITS, OTHERS_MS, 10);
        scene.injected(hold.count());
      } finally {
        hold.cut();
      }
    },
  }));
}

const openClient = async (scene: Scene): Promise<pg.Client> => {
  const url = new URL(scene.world.postgres.url);
  url.pathname = "/evertack";
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  client.on("error", (error) => scene.complain(`a connection of this fault broke: ${error.message}`));
  await client.connect();
  return client;
};

const end = (scene: Scene, client: pg.Client) =>
  within(client.end(), STATEMENT_MS, "a connection to end").catch((error) => scene.complain(String(error)));

async function holdLock(scene: Scene): Promise<void> {
  const client = await openClient(scene);
  try {
    const table = scene.asks.some(({ wantedAt }) => wantedAt) ? "publish_attempts" : "generation_tasks";
    await client.query("begin");
    await client.query(`lock table ${table} in access exclusive mode`);
    scene.injected();
    await delay(HELD_MS);
    await client.query("rollback");
  } finally {
    await end(scene, client);
  }
}

async function takeConnections(scene: Scene): Promise<void> {
  const taken: pg.Client[] = [];
  try {
    const { rows } = await (await keep(taken, scene)).query<{ free: number }>(
      `select current_setting('max_connections')::int - count(*)::int as free from pg_stat_activity`,
    );
    const wanted = Math.max(0, (rows[0]?.free ?? 0) - SPARE_CONNECTIONS);
    for (let count = 0; count < wanted && (await isKept(taken, scene)); count += 1);
    const { appDatabase, executorDatabase } = scene.world.proxies;
    // With their own connections gone they must ask for new ones, of which there are few.
    appDatabase.cutAll();
    executorDatabase.cutAll();
    scene.injected(taken.length);
    await delay(HELD_MS);
  } finally {
    await Promise.all(taken.map((client) => end(scene, client)));
  }
}

/** Not once the server has none left: the product's pools may have grown since the free ones were counted. */
async function isKept(taken: pg.Client[], scene: Scene): Promise<boolean> {
  try {
    await keep(taken, scene);
    return true;
  } catch (error) {
    if (Object(error).code === TOO_MANY_CONNECTIONS) return false;
    throw error;
  }
}

async function keep(taken: pg.Client[], scene: Scene): Promise<pg.Client> {
  const client = await openClient(scene);
  taken.push(client);
  return client;
}

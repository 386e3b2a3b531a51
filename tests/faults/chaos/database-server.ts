import { rmSync } from "node:fs";
import { type PostgresHandle, startPostgres } from "#scripts/postgres.ts";
import { killGroup, waitForEnd } from "#scripts/processes.ts";
import { within } from "./bounded.ts";

/** The run's own durable PostgreSQL server, which may be killed at any time. */
export interface DatabaseServer {
  /** URL of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Fast shutdown (closes all sessions), then a new start. */
  restart(): Promise<void>;
  /** kill -9, then a new start with recovery. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const BOUND_MS = 45_000;

/** Creates a cluster in this folder and starts it. @param port the port, the same after each start */
export async function startDatabaseServer(dataDir: string, port: number, keep: boolean): Promise<DatabaseServer> {
  const start = () => within(startPostgres({ dataDir, durable: true, port }), BOUND_MS, "PostgreSQL");
  let server: PostgresHandle = await start();
  const stop = () => within(server.stop(), BOUND_MS, "PostgreSQL to stop");
  return {
    get url() {
      return server.url;
    },
    get port() {
      return server.port;
    },
    get pid() {
      return server.pid;
    },
    async restart() {
      await stop();
      server = await start();
    },
    async crash() {
      killGroup(server.pid);
      await waitForEnd(server.pid, server.identity, BOUND_MS);
      server = await start();
    },
    async close() {
      await stop().catch(() => killGroup(server.pid));
      if (!keep) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

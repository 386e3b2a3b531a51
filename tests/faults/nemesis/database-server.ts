import { rmSync } from "node:fs";
import { type PostgresHandle, startPostgres } from "#scripts/postgres.ts";
import { killGroup, waitForEnd } from "#scripts/processes.ts";
import { within } from "./bounded.ts";

/** A PostgreSQL server of the run's own, that keeps what it committed, so that it can be ended at any moment. */
export interface DatabaseServer {
  /** Address of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ended the fast way (sessions are cut off), then started again. */
  restart(): Promise<void>;
  /** kill -9, then started again: it recovers from its log. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const BOUND_MS = 45_000;

/** Creates a cluster in this folder and starts it. @param port where it listens, again after each start */
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

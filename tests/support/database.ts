import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, inject } from "vitest";
import { type Database, openDatabase } from "#db/client.ts";
import { createDatabase, dropDatabase } from "#scripts/postgres.ts";
import { templateName } from "./cluster.ts";
import { attachDatabaseClock } from "./database-clock.ts";
import { until } from "./poll.ts";

/** A migrated, empty database for one test file. */
export type TestDatabase = { url: string; db: Database; close(): Promise<void> };

/** Clones the template (about 40 ms). `close` ends its connections and drops it. */
export async function createTestDatabase(serverUrl: string = inject("testServerUrl")): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const url = await createDatabase(serverUrl, name, templateName);
  await attachDatabaseClock(url);
  const handle = openDatabase(url);
  return {
    url,
    db: handle.db,
    close: async () => {
      await handle.close();
      await dropDatabase(serverUrl, name);
    },
  };
}

/**
 * One database for the calling test file, made before its tests and dropped after them: `const database =
 * databaseForFile();` in the file, `database().db` in its tests.
 */
export function databaseForFile(): () => TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.close());
  return () => {
    if (!database) throw new Error("The test database exists from beforeAll on.");
    return database;
  };
}

/** Waits until a connection to this database waits for a lock. */
export const someoneWaits = (db: Database): Promise<unknown> =>
  until(async () => {
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await db.execute(waiting)).length > 0;
  });

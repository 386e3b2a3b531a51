import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema/index.ts";

export type Schema = typeof schema;
export type Database = PostgresJsDatabase<Schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** An open connection pool: the query builder, and how to end it. */
export interface DatabaseHandle {
  db: Database;
  close(): Promise<void>;
}

/** Opens a pool for an address. `max` connections; idle ones close after a minute. */
export const openDatabase = (url: string, max = 10): DatabaseHandle => {
  const client = postgres(url, { max, idle_timeout: 60, connect_timeout: 10, onnotice: () => {} });
  return {
    db: drizzle(client, { schema, casing: "snake_case" }),
    close: () => client.end({ timeout: 5 }),
  };
};

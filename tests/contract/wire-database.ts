import postgres from "postgres";
import { afterAll, beforeAll } from "vitest";

/** A connection to a running app's database, for the calling file or describe. */
export const databaseAt = (url: () => string): (() => postgres.Sql) => {
  let sql: postgres.Sql | undefined;
  beforeAll(() => {
    sql = postgres(url(), { max: 1, onnotice: () => {} });
  });
  afterAll(() => sql?.end());
  return () => {
    if (!sql) throw new Error("The connection exists from beforeAll on.");
    return sql;
  };
};

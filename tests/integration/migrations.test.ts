import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { migrateDatabase } from "#db/migrate.ts";
import { createDatabase, dropDatabase } from "#scripts/postgres.ts";
import { until } from "#tests/support/poll.ts";

const TABLE = "create table words (id int, word text)";
const INDEX = "-- no transaction\ncreate unique index concurrently if not exists words_word on words (word)";

let url = "";
let sql: postgres.Sql;
let folder = "";
const name = () => new URL(url).pathname.slice(1);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "migrations-"));
  mkdirSync(join(folder, "meta"));
  url = await createDatabase(inject("testServerUrl"), `migrate_${randomBytes(5).toString("hex")}`);
  sql = postgres(url, { max: 3, onnotice: () => {} });
});
afterEach(async () => {
  await sql.end();
  await dropDatabase(inject("testServerUrl"), name());
  rmSync(folder, { recursive: true });
});

/** Writes these migrations with a journal. */
const write = (...migrations: string[]): void => {
  const entries = migrations.map((text, idx) => {
    writeFileSync(join(folder, `${idx}_step.sql`), text);
    return { idx, version: "7", when: 1_000 + idx, tag: `${idx}_step`, breakpoints: true };
  });
  writeFileSync(
    join(folder, "meta", "_journal.json"),
    JSON.stringify({ version: "7", dialect: "postgresql", entries }),
  );
};

const applied = async (): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from drizzle.__drizzle_migrations`;
  return row?.count ?? 0;
};
const validIndexes = () => sql`select indisvalid from pg_index where indexrelid = to_regclass('words_word')`;

test("a migration without a transaction builds an index concurrently, once", async () => {
  write(TABLE, INDEX, "alter table words add column length int");
  await migrateDatabase(url, folder);
  await migrateDatabase(url, folder);
  expect(await applied()).toBe(3);
  expect([...(await validIndexes())]).toEqual([{ indisvalid: true }]);
});

test("one process migrates while others wait, even for a concurrent index", async () => {
  write(TABLE);
  await migrateDatabase(url, folder);
  write(TABLE, INDEX);
  const backends = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int from pg_stat_activity where datname = ${name()} and backend_type = 'client backend'`;
    return row?.count ?? 0;
  };
  let both: Promise<unknown> = Promise.resolve();
  // The first one stops at the lock of this transaction, until the second one is waiting for it.
  await sql.begin(async (tx) => {
    await tx`lock table words in share row exclusive mode`;
    const first = migrateDatabase(url, folder);
    const isBlocked = async () =>
      (await sql`select 1 from pg_locks where not granted and relation = to_regclass('words')`).length > 0;
    await until(isBlocked, { what: "the first process to wait for the table" });
    const before = await backends();
    both = Promise.all([first, migrateDatabase(url, folder)]);
    await until(async () => (await backends()) > before, { what: "the second process to connect" });
  });
  await both;
  expect(await applied()).toBe(2);
  expect([...(await validIndexes())]).toEqual([{ indisvalid: true }]);
});

test("an index whose build was interrupted is built again", async () => {
  write(TABLE);
  await migrateDatabase(url, folder);
  await sql`insert into words values (1, 'twice'), (2, 'twice')`;
  write(TABLE, INDEX);
  await expect(migrateDatabase(url, folder)).rejects.toThrow();
  expect([...(await validIndexes())]).toEqual([{ indisvalid: false }]);
  expect(await applied()).toBe(1);
  await sql`delete from words where id = 2`;
  await migrateDatabase(url, folder);
  expect([...(await validIndexes())]).toEqual([{ indisvalid: true }]);
});

test("a failed migration undoes those of its transaction", async () => {
  write(TABLE, "alter table words add column a int", "alter table nothing add column a int");
  await expect(migrateDatabase(url, folder)).rejects.toThrow();
  expect(await applied()).toBe(0);
  expect([...(await sql`select to_regclass('words') as words`)]).toEqual([{ words: null }]);
  write(TABLE, "alter table words add column a int");
  await migrateDatabase(url, folder);
  expect(await applied()).toBe(2);
});

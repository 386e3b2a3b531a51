import { sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { beforeAll, expect, test } from "vitest";
import { isAnyOf } from "#db/sql.ts";
import { databaseForFile } from "#tests/support/database.ts";

const words = pgTable("listed_words", { word: text().primaryKey() });
const AWKWARD = ["plain", "NULL", "", "a,b", "{x}", 'say "hi"', "back\\slash", "two words", "ümlaut", "it's"];

const database = databaseForFile();

beforeAll(async () => {
  await database().db.execute(sql`create table listed_words (word text primary key)`);
  await database()
    .db.insert(words)
    .values(AWKWARD.map((word) => ({ word })));
});

const find = async (values: Iterable<string>): Promise<string[]> =>
  (await database().db.select().from(words).where(isAnyOf(words.word, values))).map(({ word }) => word);

test("each value is found as it is written, and nothing else", async () => {
  for (const word of AWKWARD) expect(await find([word, `${word}x`])).toEqual([word]);
  expect((await find(AWKWARD)).toSorted()).toEqual(AWKWARD.toSorted());
  expect(await find([])).toEqual([]);
});

test("a list is one parameter, whatever its length", async () => {
  const many = Array.from({ length: 70_000 }, (_, n) => `none ${n}`);
  expect(await find([...many, "plain"])).toEqual(["plain"]);
  const statementOf = (values: string[]) =>
    database().db.select().from(words).where(isAnyOf(words.word, values)).toSQL();
  expect(statementOf(["a"]).sql).toBe(statementOf(["a", "b"]).sql);
  expect(statementOf(["a", "b"]).params).toHaveLength(1);
});

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import { inRepository } from "#scripts/root.ts";
import { migrationProblems } from "#tests/support/source/migrations.ts";

/** Earlier ones ran while nothing else did. */
const FIRST_CHECKED = 40;
const folder = inRepository("db", "migrations");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .map((name) => name.replace(/\.sql$/, ""));

const problemsOf = (text: string): string[] => migrationProblems({ name: "m", text }).map((line) => line.slice(2));

test("every migration is in the journal, in order", () => {
  expect([...names].sort()).toEqual(journal.entries.map(({ tag }) => tag));
  const times = journal.entries.map(({ when }) => when);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test("new migrations expand first, and contract only what no running release uses", () => {
  const checked = names.filter((name) => Number(name.slice(0, 4)) >= FIRST_CHECKED);
  const problems = checked.flatMap((name) =>
    migrationProblems({ name, text: readFileSync(`${folder}/${name}.sql`, "utf8") }),
  );
  expect(problems).toEqual([]);
});

test.each([
  ["a blocking index", 'CREATE INDEX "a" ON "pins" USING btree ("title");', /blocks writes/],
  [
    "a concurrent index in a transaction",
    "create index concurrently if not exists a on pins (title);",
    /blocks writes/,
  ],
  [
    "a concurrent index that can't run twice",
    "-- no transaction\ncreate index concurrently a on pins (title);",
    /blocks/,
  ],
  ["a dropped column", 'ALTER TABLE "pins" DROP COLUMN "title";', /drops a column/],
  ["a dropped table", 'DROP TABLE "pins";', /drops a table/],
  ["a renamed column", 'ALTER TABLE "pins" RENAME COLUMN "title" TO "name";', /renames/],
  ["a renamed column, in short", "alter table pins rename title to name;", /renames/],
  ["a renamed table", "alter table pins rename to posts;", /renames/],
  ["another type", 'ALTER TABLE "pins" ALTER COLUMN "title" SET DATA TYPE varchar(9);', /type/],
  ["another type, in short", "alter table pins alter title type varchar(9);", /type/],
  [
    "a column that becomes required",
    'ALTER TABLE "pins" ALTER COLUMN "title" SET NOT NULL;',
    /makes a column required/,
  ],
  [
    "a required column",
    "alter table pins add column a int default 1 not null, add column b int not null;",
    /required column/,
  ],
  ["an empty marker", "-- contract:\nalter table pins drop column title;", /drops a column/],
  [
    "a marker of another statement",
    "-- contract: 1.4\nselect 1;\n--> statement-breakpoint\ndrop table pins;",
    /drops a table/,
  ],
  ["an update that can't run twice", "-- no transaction\ninsert into pins (id) values (1);", /can't run twice/],
])("the rule finds %s", (_what, text, expected) => {
  expect(problemsOf(text).join("\n")).toMatch(expected);
});

test.each([
  [
    "a new table with its indexes",
    'CREATE TABLE "a" ("b" int NOT NULL);\n--> statement-breakpoint\nCREATE INDEX "c" ON "a" ("b");',
  ],
  ["a column with a default", 'ALTER TABLE "pins" ADD COLUMN "a" integer DEFAULT 1 NOT NULL;'],
  ["an optional column", 'ALTER TABLE "pins" ADD COLUMN "a" integer;'],
  ["a concurrent index", "-- no transaction\ncreate unique index concurrently if not exists a on pins (title);"],
  ["a marked contraction", "-- contract: 1.4 reads name\nALTER TABLE pins DROP COLUMN title;"],
  ["words in comments and texts", "-- drop table pins\nupdate pins set title = 'drop table';"],
  ["a function's body", "create function f() returns void as $$ drop table pins; $$ language sql;"],
  [
    "a changed constraint",
    'ALTER TABLE "pins" DROP CONSTRAINT "a";\n--> statement-breakpoint\nALTER TABLE "pins" ADD CONSTRAINT "a" CHECK (true);',
  ],
])("the rule allows %s", (_what, text) => {
  expect(problemsOf(text)).toEqual([]);
});

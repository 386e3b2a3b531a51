import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { mapRowsOnce } from "#db/row-mapper.ts";
import * as schema from "#db/schema/index.ts";
import { pins, pinterestAccounts, publishAttempts } from "#db/schema/index.ts";

const TIME = "2026-11-28 15:00:00.123+05:45";
const ROWS = [
  ["pin_1", TIME, { id: "veil" }, true, "moss", TIME, TIME, "12", "https://example.com/"],
  ["pin_2", null, '{"id": "slip"}', false, null, null, TIME, null, null],
];

/** A driver that answers every statement with these rows, as arrays. */
const driver = {
  options: { parsers: {}, serializers: {} },
  unsafe: () => ({ values: async () => ROWS }),
};
const db = drizzle(driver as unknown as Sql, { schema, casing: "snake_case" });

const selected = () =>
  db
    .select({
      ...{ id: pins.id, scheduledAt: pins.scheduledAt, template: pins.template, isOpen: pins.mayBePublished },
      account: { username: pinterestAccounts.username, connectedAt: pinterestAccounts.connectedAt },
      now: sql`now()`.mapWith(pins.createdAt),
      total: sql`count(*)`.mapWith(Number),
      link: sql<string | null>`lower(${pins.link})`.as("link"),
    })
    .from(pins);

const inner = selected().innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId)).prepare("inner");

const isMapped = (statement: object): boolean =>
  "customResultMapper" in statement && Boolean(statement.customResultMapper);

describe("rows of a prepared statement", () => {
  test("are those of Drizzle: times, JSON, numbers, nulls, objects inside, and expressions", async () => {
    const drizzles = await inner.execute();
    mapRowsOnce(inner);
    expect(isMapped(inner)).toBe(true);
    const ours = await inner.execute();
    expect(ours).toEqual(drizzles);
    const account = { username: "moss", connectedAt: new Date(TIME) };
    expect(ours[0]).toMatchObject({ id: "pin_1", scheduledAt: new Date(TIME), total: 12, account });
  });

  test("of a left join, whose objects may be missing, are left to Drizzle", async () => {
    const left = selected().leftJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId)).prepare("left");
    mapRowsOnce(left);
    expect(isMapped(left)).toBe(false);
    expect((await left.execute())[1]).toMatchObject({ account: null });
  });

  test("of a write without rows are left as they are", () => {
    const update = db.update(publishAttempts).set({ note: null }).prepare("update");
    mapRowsOnce(update);
    expect(isMapped(update)).toBe(false);
  });
});

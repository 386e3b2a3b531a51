import { getTableName, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { creditLines, creditReservations, creditTransfers } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { liveEvents } from "#db/schema/realtime.ts";
import type { FullCtx } from "#lib/context.ts";
import { generationSetup } from "./generation-harness.ts";
import { publishingSetup } from "./publishing-harness.ts";

const generation = generationSetup();
const publishing = publishingSetup();

const TABLES = [
  generationGroups,
  generationTasks,
  pins,
  creditReservations,
  creditTransfers,
  creditLines,
  publishAttempts,
  liveEvents,
];

const countRows = (ctx: FullCtx): Promise<number[]> => Promise.all(TABLES.map((table) => ctx.db.$count(table)));

/** Rows that `work` added, by table. */
const rowsOf = async (ctx: FullCtx, work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const before = await countRows(ctx);
  await work();
  const after = await countRows(ctx);
  const added = TABLES.map((table, at) => [getTableName(table), (after[at] ?? 0) - (before[at] ?? 0)] as const);
  return Object.fromEntries(added.filter(([, rows]) => rows !== 0));
};

test("docs/scale.md counts the rows of a generation of ten pins", async () => {
  const creator = await generation.insertCreator(20);
  await generation.job().db.execute(sql`delete from live_events`);
  const rows = await rowsOf(generation.job(), async () => {
    const { groupId } = await generation.start(
      creator,
      Array.from({ length: 10 }, (_, n) => `keyword ${n}`),
    );
    for (const { id } of await generation.tasksOf(groupId)) await generation.drive(id);
  });
  expect(rows).toEqual({
    generation_groups: 1,
    generation_tasks: 10,
    pins: 10,
    credit_reservations: 10,
    credit_transfers: 20,
    credit_lines: 40,
    live_events: expect.any(Number),
  });
});

test("docs/scale.md counts the rows of a pin that is scheduled and published", async () => {
  const creator = await publishing.insertCreator();
  const pinId = await publishing.draft(creator);
  const rows = await rowsOf(publishing.job(), async () => {
    await publishing.schedule(creator, [pinId]);
    const { scheduleGeneration } = await publishing.pin(pinId);
    expect(await publishing.drive({ pinId, scheduleGeneration })).toMatchObject({ result: "published" });
  });
  expect(rows).toEqual({ publish_attempts: 1, live_events: 2 });
});

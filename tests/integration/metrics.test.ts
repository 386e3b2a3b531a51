import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { countQueue } from "#lib/features/publishing/queue.ts";
import { CREATE, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();

test("R-SRV-03 what waits, is due, is held and is unclear is read from the database, whoever works on it", async () => {
  const empty = { due: 0, held: 0, waiting: 0, oldestDueSeconds: 0, armed: 0, calling: 0, unclear: 0 };
  expect(await countQueue(world.job())).toEqual(empty);
  const [maker, heldMaker] = [await world.makeMaker(), await world.makeMaker()];
  const drafts = [await world.draft(maker), await world.draft(maker), await world.draft(maker)];
  await world.schedule(maker, drafts, 24 * 60);
  await world.scheduled(heldMaker);
  const { db } = world.house.database;
  await db
    .update(pinterestAccounts)
    .set({ status: "reconnect_needed" })
    .where(eq(pinterestAccounts.id, heldMaker.account.id));
  expect(await countQueue(world.job("other"))).toMatchObject({ due: 1, held: 1, waiting: 2 });

  await world.moveClock(DAY_MS + HOUR_MS);
  const later = await countQueue(world.job());
  expect(later).toMatchObject({ due: 2, held: 1, waiting: 1 });
  expect(later.oldestDueSeconds).toBeGreaterThan(25 * 3_600 - 1);
  expect(later.oldestDueSeconds).toBeLessThan(26 * 3_600);

  const [first, second] = await db.select().from(pins).where(eq(pins.userId, maker.userId)).orderBy(pins.scheduledAt);
  if (!first || !second) throw new Error("The pins are gone.");
  await world.pinterest.strike({ match: CREATE, scenario: "reply-lost-after-creating" });
  for (const row of [first, second]) {
    const { id: pinId, scheduleGeneration } = toPin(row);
    const claim = await claimPin(world.job(), { pinId, scheduleGeneration });
    expect(claim.kind).toBe("attempt");
    if (row === first && claim.kind === "attempt") {
      await sendPin(world.job(), { pinId, scheduleGeneration, attemptId: claim.attemptId });
    }
  }
  expect(await countQueue(world.job())).toMatchObject({ armed: 1, calling: 0, unclear: 1 });
});

import { eq } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { claimPin, sendPin } from "#lib/features/publishing/publisher.ts";
import { countQueue } from "#lib/features/publishing/queue.ts";
import { metrics } from "#lib/server/metrics.ts";
import { setProcessContainer } from "#tests/support/process-harness.ts";
import { CREATE, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

setProcessContainer(() => setup.harness);

test("R-SRV-03 counts waiting, due, held and unclear pins in the database", async () => {
  const empty = { due: 0, held: 0, waiting: 0, oldestDueSeconds: 0, armed: 0, calling: 0, unclear: 0 };
  expect(await countQueue(setup.job())).toEqual(empty);
  const [creator, heldCreator] = [await setup.insertCreator(), await setup.insertCreator()];
  const drafts = [await setup.draft(creator), await setup.draft(creator), await setup.draft(creator)];
  await setup.schedule(creator, drafts, 24 * 60);
  await setup.scheduled(heldCreator);
  const { db } = setup.harness.database;
  await db
    .update(pinterestAccounts)
    .set({ status: "reconnect_needed" })
    .where(eq(pinterestAccounts.id, heldCreator.account.id));
  expect(await countQueue(setup.job("other"))).toMatchObject({ due: 1, held: 1, waiting: 2 });

  // The second pin is due, and not so late that it waits for its turn.
  await setup.moveClock(DAY_MS + 5 * MINUTE_MS);
  const later = await countQueue(setup.job());
  expect(later).toMatchObject({ due: 2, held: 1, waiting: 1 });
  expect(later.oldestDueSeconds).toBeGreaterThan(24 * 3_600 + 5 * 60 - 1);
  expect(later.oldestDueSeconds).toBeLessThan(25 * 3_600);

  const [first, second] = await db.select().from(pins).where(eq(pins.userId, creator.userId)).orderBy(pins.scheduledAt);
  if (!first || !second) throw new Error("The pins are gone.");
  await setup.pinterest.addFault({ match: CREATE, scenario: "reply-lost-after-creating" });
  for (const row of [first, second]) {
    const { id: pinId, scheduleGeneration } = toPin(row);
    const claim = await claimPin(setup.job(), { pinId, scheduleGeneration });
    expect(claim.kind).toBe("attempt");
    if (row === first && claim.kind === "attempt") {
      await sendPin(setup.job(), { pinId, scheduleGeneration, attemptId: claim.attemptId });
    }
  }
  expect(await countQueue(setup.job())).toMatchObject({ armed: 1, calling: 0, unclear: 1 });
});

test("R-SRV-03 a pin that may be published twice is counted, for the alert of operators", async () => {
  const { text, close } = metrics();
  onTestFinished(close);
  const seen = async () => Number(/^evertack_publish_duplicates_total (\d+)$/m.exec(await text())?.[1] ?? 0);
  const before = await seen();
  const log = createWideEvent({ at: new Date().toISOString(), job: "publish-pin", step: "publish-due" });
  log.set({ duplicate_created: true });
  writeEvent(log);
  expect(await seen()).toBe(before + 1);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { payments } from "#db/schema/billing.ts";
import type { FullCtx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { applyFact } from "#lib/features/billing/events.ts";
import { findSubscription, readSubscription } from "#lib/features/billing/queries.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { type Buyer, startTestPaddle, type TestPaddle } from "#tests/support/paddle.ts";

export interface Payer extends Buyer {
  ctx: FullCtx;
  userId: UserId;
}

/**
 * A harness with the payment stand-in for one test file. Time only moves forward, for both together; the stand-in's
 * events arrive when a test calls `sync`. After each test the faults are cleared and the ledger is checked.
 */
export const subscriptionHarness = () => {
  const database = databaseForFile();
  const storageDir = mkdtempSync(join(tmpdir(), "subscription-"));
  let paddle: TestPaddle | undefined;
  let harness: TestHarness | undefined;
  let afterEventId: string | null = null;
  let offsetMs = 0;
  const paddleNow = (): TestPaddle => {
    if (!paddle) throw new Error("The stand-in runs from beforeAll on.");
    return paddle;
  };
  const harnessNow = (): TestHarness => {
    if (!harness) throw new Error("The harness exists only after beforeAll.");
    return harness;
  };
  const job = (): FullCtx => contextOf(harnessNow(), { kind: "job", name: "test" });

  /** Applies the stand-in's events since the last call. */
  const sync = async (): Promise<void> => {
    for (;;) {
      const answer = await job().payments.listEvents(afterEventId);
      if (answer.kind === "problem") throw new Error(`The events could not be read: ${answer.problem.text}`);
      if (answer.value.length === 0) return;
      for (const { fact } of answer.value) if (fact) await applyFact(job(), { fact });
      afterEventId = answer.value.at(-1)?.eventId ?? afterEventId;
    }
  };

  beforeAll(async () => {
    paddle = await startTestPaddle();
    harness = createTestHarness({ databaseUrl: database().url, storageDir, paddleUrl: paddle.url });
    await harness.moveClock(0);
  });
  afterEach(async () => {
    await paddleNow().clearFaults();
    expect((await checkLedger(job())).faults).toEqual([]);
  });
  afterAll(async () => {
    await harnessNow().close();
    await paddleNow().close();
    rmSync(storageDir, { recursive: true, force: true });
  });

  return {
    paddle: paddleNow,
    harness: harnessNow,
    database,
    job,
    sync,
    /** A new user on the free plan. */
    payer: (): Promise<Payer> => createUser(harnessNow()),
    /** A new user who has paid for a plan. */
    subscriber: async (plan: "basic" | "growth" | "pro" = "basic", card?: string): Promise<Payer & { id: string }> => {
      const payer = await createUser(harnessNow());
      await paddleNow().buy(payer, `plan:${plan}`, { ...(card && { card }) });
      await sync();
      const subscription = await findSubscription(payer.ctx, payer.userId);
      if (!subscription) throw new Error("The subscription did not arrive.");
      return { ...payer, id: subscription.id };
    },
    /** Advances the time of the harness and the stand-in; new events wait for `sync`. */
    wait: async (ms: number): Promise<void> => {
      offsetMs += ms;
      await harnessNow().moveClock(ms);
      await paddleNow().moveClock(offsetMs);
    },
    wireOf: async ({ ctx }: Payer): Promise<SubscriptionWire> => toSubscriptionWire(await readSubscription(ctx)),
    /** Completed payments with these origins. */
    paidOf: async ({ ctx, userId }: Payer, origin: string) =>
      (await ctx.db.select().from(payments).where(eq(payments.userId, userId))).filter(
        (one) => one.origin === origin && one.status === "completed",
      ),
  };
};

import { eq } from "drizzle-orm";
import { afterEach, beforeEach } from "vitest";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import type { FullCtx } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { NEW_SYNC_PROGRESS, type SyncRequested, syncRequested } from "#lib/features/analytics/schema.ts";
import { type SyncStep, syncAnalytics } from "#lib/features/analytics/sync.ts";
import { requestSync } from "#lib/features/analytics/sync-queue.ts";
import { type PublishedPin, seedPublished } from "#tests/support/analytics-pins.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const ANALYTICS = /^GET \/v5\/.*analytics/;
export const NO_PROGRESS = NEW_SYNC_PROGRESS;

/** A harness for sync tests: seeds published pins and runs syncs by moving all clocks. */
export const syncHarness = () => {
  const setup = publishingSetup();
  beforeEach(() => setup.pinterest.resetCalls());
  afterEach(() => setup.pinterest.set({ bulkAnalytics: true, orgAnalyticsLimit: 0 }));

  /** Publishes pins, newest first, at most 89 days old. */
  const publish = (creator: Creator, count: number, change: Partial<PublishedPin> = {}): Promise<PinId[]> => {
    const now = setup.harness.now();
    const wanted = Array.from({ length: count }, (_, index) => ({
      title: `Pin ${index}`,
      keyword: "green sheets",
      boardId: creator.boardId,
      publishedAt: addMs(now, -(3 + (index * 85) / count) * DAY_MS),
      ...change,
    }));
    return seedPublished(setup.harness.database.db, setup.pinterest, creator, wanted);
  };

  /** Requests a sync and returns the event's data; null when no run was started. */
  const requestEvent = async (creator: Creator): Promise<SyncRequested | null> => {
    const before = setup.harness.sentEvents.length;
    await requestSync(creator.ctx, { accountId: creator.account.id });
    const event = setup.harness.sentEvents.slice(before).find(({ name }) => name === "analytics/sync.requested");
    return event ? syncRequested.parse(event.data) : null;
  };

  /** Runs a sync to its end as the durable function does. `waits`: its pauses in ms. */
  const run = async (request: SyncRequested | null, ctx: FullCtx = setup.job()) => {
    if (!request) throw new Error("No sync was requested.");
    const waits: number[] = [];
    let progress = NO_PROGRESS;
    for (let round = 0; round < 400; round += 1) {
      const result: SyncStep = await syncAnalytics(ctx, { ...request, progress });
      if (result.kind === "done") return { outcome: result.outcome, waits };
      // The engine stores step results as JSON.
      progress = JSON.parse(JSON.stringify(result.progress));
      if (result.afterMs > 0) {
        waits.push(result.afterMs);
        await setup.moveClock(Math.ceil(result.afterMs / 1_000) * 1_000);
      }
    }
    throw new Error("The run does not end.");
  };

  return {
    setup,
    publish,
    requestEvent,
    run,
    runSync: async (creator: Creator) => run(await requestEvent(creator)),
    storedMetrics: ({ account }: Creator) =>
      setup.harness.database.db.select().from(pinMetrics).where(eq(pinMetrics.accountId, account.id)),
    syncRow: async ({ account }: Creator) => {
      const { db } = setup.harness.database;
      const [row] = await db.select().from(analyticsSyncs).where(eq(analyticsSyncs.accountId, account.id));
      return row;
    },
    /** All analytics calls, and those that were rate-limited. */
    calls: async () => {
      const all = await setup.pinterest.requests(ANALYTICS);
      return { all, refused: all.filter(({ status }) => status === 429) };
    },
  };
};

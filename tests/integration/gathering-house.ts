import { eq } from "drizzle-orm";
import { afterEach, beforeEach } from "vitest";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import type { FullCtx } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { type GatherMove, gatherResults } from "#lib/features/analytics/gathering.ts";
import { askForResults } from "#lib/features/analytics/gathering-queue.ts";
import { type GatherRequested, gatherRequested, NEW_WALK } from "#lib/features/analytics/schema.ts";
import { type PublishedPin, seedPublished } from "#tests/support/results-pins.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const ANALYTICS = /^GET \/v5\/.*analytics/;
export const NOTHING_LEFT = NEW_WALK;

/** The world of a test about fetched figures: published pins at once, and runs that nap by moving all clocks. */
export const gatheringWorld = () => {
  const world = publishingWorld();
  beforeEach(() => world.pinterest.forgetCalls());
  afterEach(() => world.pinterest.set({ bulkAnalytics: true, orgAnalyticsLimit: 0 }));

  /** So many pins of a maker, the newest first, one a day from 89 days ago at the earliest. */
  const publish = (maker: Maker, count: number, change: Partial<PublishedPin> = {}): Promise<PinId[]> => {
    const now = world.house.now();
    const wanted = Array.from({ length: count }, (_, index) => ({
      title: `Pin ${index}`,
      keyword: "green sheets",
      boardId: maker.boardId,
      publishedAt: addMs(now, -(3 + (index * 85) / count) * DAY_MS),
      ...change,
    }));
    return seedPublished(world.house.database.db, world.pinterest, maker, wanted);
  };

  /** Asks, and hands over what the engine would run; nothing when nothing was begun. */
  const ask = async (maker: Maker): Promise<GatherRequested | null> => {
    const before = world.house.sentEvents.length;
    await askForResults(maker.ctx, { accountId: maker.account.id });
    const event = world.house.sentEvents.slice(before).find(({ name }) => name === "results/gather.requested");
    return event ? gatherRequested.parse(event.data) : null;
  };

  /** Runs to its end as the function does. `naps`: what it slept, in ms. */
  const run = async (request: GatherRequested | null, ctx: FullCtx = world.job()) => {
    if (!request) throw new Error("Nothing was asked for.");
    const naps: number[] = [];
    let walk = NOTHING_LEFT;
    for (let round = 0; round < 400; round += 1) {
      const move: GatherMove = await gatherResults(ctx, { ...request, walk });
      if (move.kind === "done") return { outcome: move.outcome, naps };
      // What the engine keeps between two steps.
      walk = JSON.parse(JSON.stringify(move.walk));
      if (move.afterMs > 0) {
        naps.push(move.afterMs);
        await world.moveClock(Math.ceil(move.afterMs / 1_000) * 1_000);
      }
    }
    throw new Error("The run does not come to an end.");
  };

  return {
    world,
    publish,
    ask,
    run,
    gather: async (maker: Maker) => run(await ask(maker)),
    figures: ({ account }: Maker) =>
      world.house.database.db.select().from(pinFigures).where(eq(pinFigures.accountId, account.id)),
    gatherRow: async ({ account }: Maker) => {
      const { db } = world.house.database;
      const [row] = await db.select().from(resultGathers).where(eq(resultGathers.accountId, account.id));
      return row;
    },
    /** The analytics calls that the stand-in answered, and those that it refused for being too many. */
    calls: async () => {
      const all = await world.pinterest.requests(ANALYTICS);
      return { all, refused: all.filter(({ status }) => status === 429) };
    },
  };
};

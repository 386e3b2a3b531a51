import { type ClaimedCall, claimCalls } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { type Follower, followRun } from "./follow-run.ts";
import { lookForWork, releaseStrays, WAKE_BATCH, wakeDue } from "./look.ts";
import { repeat } from "./repeat.ts";
import { routeEvents } from "./route.ts";
import { messageOf } from "./values.ts";

/** What takes due work and has it done. */
export interface Dispatch {
  /** Looks again at once. */
  nudge(): void;
  /** Takes no more calls and waits for the running ones; after `drainMs` they are cut. */
  stop(): Promise<void>;
}

/** How the work is done. */
export interface DispatchSettings {
  /** The name under which calls are claimed. */
  workerId: string;
  /** Calls at a time. */
  concurrency: number;
  drainMs: number;
}

/** What comes due while nobody looks waits no longer than this; it also bridges a clock that is moved. */
const LOOK_INTERVAL_MS = 100;
/** Things that come due one after the other are taken together. */
const LOOK_PAUSE_MS = 4;

/** What one executor has in hand. */
interface Shop {
  /** The work that is being done, and the run it is for. */
  inFlight: Map<Promise<void>, string>;
  /** Whether calls are due that wait for a place or for their key. */
  hasBacklog: boolean;
  nextDueMs: number | undefined;
  isClosing: boolean;
}

/** Starts looking for due work. */
export function startDispatch(engine: Engine, settings: DispatchSettings): Dispatch {
  const cutting = new AbortController();
  const shop: Shop = { inFlight: new Map(), hasBacklog: false, nextDueMs: undefined, isClosing: false };
  const follower: Follower = {
    workerId: settings.workerId,
    signal: cutting.signal,
    mayGoOn: (functionId) => mayGoOn(engine, settings, shop, functionId),
    onMoreDue: () => looking.soon(),
  };
  const follow = (call: ClaimedCall) => {
    const work = followRun(engine, follower, call).finally(() => {
      shop.inFlight.delete(work);
      if (shop.hasBacklog) looking.soon();
    });
    shop.inFlight.set(work, call.state.id);
  };
  const turn = async () => {
    if (!shop.isClosing) await look(engine, settings, shop, follow);
  };
  const looking = repeat(turn, () => pauseMs(shop.nextDueMs));
  const idle = async () => {
    await looking.stop();
    await Promise.all(shop.inFlight.keys());
  };
  return {
    nudge: () => looking.soon(),
    async stop() {
      shop.isClosing = true;
      await Promise.race([idle(), patience(settings.drainMs)]);
      cutting.abort();
      engine.db.abandon();
      await idle();
    },
  };
}

/**
 * Whether the run goes on in its place. Where calls wait only for their key, and there is one, the run that has the
 * place is the oldest of its lane; where they wait for any place, or for one of two keys, it must be their turn.
 */
function mayGoOn(engine: Engine, { concurrency }: DispatchSettings, shop: Shop, functionId: string): boolean {
  if (shop.isClosing) return false;
  const rules = engine.registry.functions.get(functionId)?.concurrency.length ?? 0;
  return !shop.hasBacklog || (rules <= 1 && shop.inFlight.size < concurrency);
}

/** Never throws: the next look comes in a moment. */
async function look(
  engine: Engine,
  { workerId, concurrency }: DispatchSettings,
  shop: Shop,
  follow: (call: ClaimedCall) => void,
): Promise<void> {
  try {
    const due = await lookForWork(engine, workerId, [...shop.inFlight.values()]);
    shop.nextDueMs = due.nextDueMs;
    if (due.hasStrays) await releaseStrays(engine, workerId, [...shop.inFlight.values()]);
    if (due.hasEvents) while ((await routeEvents(engine)) > 0);
    if (due.hasSteps) while ((await wakeDue(engine)) === WAKE_BATCH);
    shop.hasBacklog = due.hasCalls || due.hasEvents || due.hasSteps;
    const places = concurrency - shop.inFlight.size;
    if (!shop.hasBacklog) return;
    if (places <= 0 || shop.isClosing) return;
    const claims = await claimCalls(engine, workerId, places);
    shop.hasBacklog = claims.hasBacklog;
    for (const call of claims.calls) follow(call);
  } catch (error) {
    shop.nextDueMs = undefined;
    engine.log(`executor: it could not look for work: ${messageOf(error)}`);
  }
}

function pauseMs(nextDueMs = Number.POSITIVE_INFINITY): number {
  return Math.min(Math.max(nextDueMs - Date.now(), LOOK_PAUSE_MS), LOOK_INTERVAL_MS);
}

/** Keeps no process alive. */
function patience(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

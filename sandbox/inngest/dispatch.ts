import type { Engine } from "./engine.ts";
import { type RepeatingTask, repeat } from "./engine.ts";
import { routeEvents } from "./events.ts";
import { applyCallResult } from "./operations.ts";
import { type CallResult, iso, messageOf } from "./protocol.ts";
import { type ClaimedCall, claimCalls, releaseCalls } from "./queue.ts";
import { callBody, createDraft, type RunState, readRunState, type Saved, saveDraft } from "./runs.ts";

interface DispatchSettings {
  workerId: string;
  concurrency: number;
  /** How long `stop` waits for running calls before it aborts them. */
  drainMs: number;
}

/** Upper bound for polling, also in case a test moves the clock. */
const MAX_POLL_INTERVAL_MS = 100;
/** Lower bound for polling, so that work due within a few milliseconds is handled together. */
const MIN_POLL_INTERVAL_MS = 4;
const SLEEP_BATCH = 500;
/** Delay after an unexpected error in the executor: the call is neither lost nor repeated in a tight loop. */
const UNEXPECTED_ERROR_DELAY_MS = 10_000;

/** Polls for due work and runs it until it is stopped. */
export class Dispatch {
  readonly #engine: Engine;
  readonly #settings: DispatchSettings;
  readonly #abort = new AbortController();
  readonly #poller: RepeatingTask;
  /** The running work, and the run it belongs to. */
  readonly #inFlight = new Map<Promise<void>, string>();
  /** Whether due calls are waiting for capacity or for their concurrency key. */
  #hasBacklog = false;
  #nextDueMs = Number.POSITIVE_INFINITY;
  #isClosing = false;

  constructor(engine: Engine, settings: DispatchSettings) {
    this.#engine = engine;
    this.#settings = settings;
    const pauseMs = () => Math.min(Math.max(this.#nextDueMs - Date.now(), MIN_POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS);
    this.#poller = repeat(() => this.#poll(), pauseMs);
  }

  pollNow(): void {
    this.#poller.runSoon();
  }

  /** Takes no more calls and waits for the running ones; aborts them after `drainMs`. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    const idle = async () => {
      await this.#poller.stop();
      await Promise.all(this.#inFlight.keys());
    };
    await Promise.race([idle(), new Promise((resolve) => setTimeout(resolve, this.#settings.drainMs).unref())]);
    this.#abort.abort();
    this.#engine.db.stopRetrying();
    await idle();
  }

  /** Never throws: the next poll follows soon. */
  async #poll(): Promise<void> {
    if (this.#isClosing) return;
    const { workerId, concurrency } = this.#settings;
    try {
      const due = await findDueWork(this.#engine, workerId, [...this.#inFlight.values()]);
      this.#nextDueMs = due.nextDue?.getTime() ?? Number.POSITIVE_INFINITY;
      if (due.hasOrphans) await releaseCalls(this.#engine.db, workerId, [...this.#inFlight.values()]);
      if (due.hasEvents) while ((await routeEvents(this.#engine)) > 0);
      if (due.hasSteps) while ((await endDueSleeps(this.#engine)) === SLEEP_BATCH);
      this.#hasBacklog = due.hasCalls || due.hasEvents || due.hasSteps;
      const capacity = concurrency - this.#inFlight.size;
      if (!this.#hasBacklog || capacity <= 0 || this.#isClosing) return;
      const claims = await claimCalls(this.#engine, workerId, capacity);
      this.#hasBacklog = claims.hasBacklog;
      for (const call of claims.calls) this.#track(call);
    } catch (error) {
      this.#nextDueMs = Number.POSITIVE_INFINITY;
      this.#engine.log(`executor: could not poll for work: ${messageOf(error)}`);
    }
  }

  #track(call: ClaimedCall): void {
    const work = this.#makeCalls(call).finally(() => {
      this.#inFlight.delete(work);
      if (this.#hasBacklog) this.pollNow();
    });
    this.#inFlight.set(work, call.state.id);
  }

  /** Makes a call and those that follow from it. Never throws. */
  async #makeCalls(first: ClaimedCall): Promise<void> {
    let current: ClaimedCall | undefined = first;
    let last = first;
    try {
      while (current !== undefined) {
        last = current;
        current = await this.#makeCall(current);
      }
    } catch (error) {
      await postpone(this.#engine, this.#settings.workerId, last, error);
    }
  }

  /** Returns the call that follows immediately, if this executor claimed it. */
  async #makeCall({ state, target }: ClaimedCall): Promise<ClaimedCall | undefined> {
    const { signal } = this.#abort;
    const result = await callApp(this.#engine, state, target, signal);
    if (signal.aborted) return undefined;
    const claimFor = this.#canContinue(state.functionId) ? this.#settings.workerId : undefined;
    const saved = await this.#engine.db.retry(() => applyResult(this.#engine, state, target, result, claimFor));
    if (saved?.hasMoreDue) this.pollNow();
    return saved?.target === undefined ? undefined : { target: saved.target, state: saved.state };
  }

  /**
   * Whether the run may continue without the queue: not if others wait for general capacity, or for one of two keys;
   * with a single key, this run is the oldest of its queue anyway.
   */
  #canContinue(functionId: string): boolean {
    if (this.#isClosing) return false;
    const rules = this.#engine.registry.functions.get(functionId)?.concurrency.length ?? 0;
    return !this.#hasBacklog || (rules <= 1 && this.#inFlight.size < this.#settings.concurrency);
  }
}

/** `nextDue` lies in the future. */
interface DueWork {
  hasEvents: boolean;
  hasSteps: boolean;
  hasCalls: boolean;
  /** Calls claimed under this id that it is not running: the reply to the commit was lost. */
  hasOrphans: boolean;
  nextDue: Date | null;
}

/** Uses indexes only, so that thousands of sleeping runs cost nothing. */
async function findDueWork({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<DueWork> {
  const { rows } = await db.query<DueWork>(
    `select exists (select 1 from event where not routed) as "hasEvents",
       exists (select 1 from step where completion is null and due_at <= $1
         and (select status from run where run.id = step.run_id) = 'running') as "hasSteps",
       exists (select 1 from call where claimed_by is null and due_at <= $1) as "hasCalls",
       exists (select 1 from call where claimed_by = $2 and run_id <> all($3)) as "hasOrphans",
       least((select min(due_at) from step where completion is null and due_at > $1),
         (select min(due_at) from call where claimed_by is null and due_at > $1)) as "nextDue"`,
    [iso(Date.now()), workerId, knownRuns],
  );
  return rows[0] ?? { hasEvents: false, hasSteps: false, hasCalls: false, hasOrphans: false, nextDue: null };
}

/** Ends up to SLEEP_BATCH due sleeps; returns the number of runs. */
async function endDueSleeps({ db }: Engine): Promise<number> {
  const { rows } = await db.query<{ count: number }>("select wake_due($1, $2) as count", [
    iso(Date.now()),
    SLEEP_BATCH,
  ]);
  return rows[0]?.count ?? 0;
}

async function callApp(engine: Engine, state: RunState, target: string, signal: AbortSignal): Promise<CallResult> {
  const { id, functionId } = state;
  const fn = engine.registry.functions.get(functionId);
  if (fn !== undefined) return engine.app.call(functionId, target, id, callBody(state, target, fn.maxAttempts), signal);
  const reason = `The app no longer has a function "${functionId}"`;
  return { kind: "misconfigured", reason, isUnknownFunction: true };
}

/** Applies a result to the latest state, retrying while others write to the run; an outdated call does nothing. */
async function applyResult(
  engine: Engine,
  base: RunState,
  target: string,
  result: CallResult,
  claimFor: string | undefined,
): Promise<Saved | undefined> {
  if (result.kind === "misconfigured") {
    if (result.isUnknownFunction) engine.requestSync();
    else engine.log(`executor: ${result.reason}`);
  }
  const generation = base.calls.get(target)?.generation;
  let state: RunState | undefined = base;
  while (state !== undefined) {
    const open = state.calls.get(target);
    if (open === undefined || open.generation !== generation) return undefined;
    const draft = createDraft(state, target, Date.now());
    applyCallResult(draft, engine, result);
    const saved = await saveDraft(engine.db, draft, claimFor);
    if (saved !== undefined) return saved;
    state = await readRunState(engine.db, state.id);
  }
  return undefined;
}

/** Makes the call again later, so that an unexpected error does not lose the run. */
async function postpone(
  engine: Engine,
  workerId: string,
  { state, target }: ClaimedCall,
  error: unknown,
): Promise<void> {
  engine.log(`executor: run ${state.id} of "${state.functionId}" hit an unexpected error: ${messageOf(error)}`);
  try {
    await engine.db.retry(() =>
      engine.db.query(
        "update call set claimed_by = null, due_at = $4 where run_id = $1 and target = $2 and claimed_by = $3",
        [state.id, target, workerId, iso(Date.now() + UNEXPECTED_ERROR_DELAY_MS)],
      ),
    );
  } catch (problem) {
    engine.log(`executor: the call of run ${state.id} to "${target}" stays claimed: ${messageOf(problem)}`);
  }
}

import type { Engine } from "./engine.ts";
import { type Repeated, repeat } from "./engine.ts";
import { routeEvents } from "./events.ts";
import { settleCall } from "./operations.ts";
import { type Answer, iso, messageOf } from "./protocol.ts";
import { type ClaimedCall, claimCalls, releaseCalls } from "./queue.ts";
import { callBody, draftOf, type RunState, readRunState, type Saved, saveDraft } from "./runs.ts";

/** How the work is done. */
interface DispatchSettings {
  /** The name under which calls are claimed. */
  workerId: string;
  /** Calls at a time. */
  concurrency: number;
  /** How long `stop` waits for running calls before it cuts them. */
  drainMs: number;
}

/** What comes due while nobody looks waits no longer than this; it also bridges a clock that is moved. */
const LOOK_INTERVAL_MS = 100;
/** Things that come due one after the other are taken together. */
const LOOK_PAUSE_MS = 4;
const WAKE_BATCH = 500;
/** After an error that is our own fault, so that the call is neither lost nor made all the time. */
const MISHAP_DELAY_MS = 10_000;

/** Takes due work and has it done, from the start on until it is stopped. */
export class Dispatch {
  readonly #engine: Engine;
  readonly #settings: DispatchSettings;
  readonly #cutting = new AbortController();
  readonly #looking: Repeated;
  /** The work that is being done, and the run it is for. */
  readonly #inFlight = new Map<Promise<void>, string>();
  /** Whether calls are due that wait for a place or for their key. */
  #hasBacklog = false;
  #nextDueMs = Number.POSITIVE_INFINITY;
  #isClosing = false;

  constructor(engine: Engine, settings: DispatchSettings) {
    this.#engine = engine;
    this.#settings = settings;
    const pauseMs = () => Math.min(Math.max(this.#nextDueMs - Date.now(), LOOK_PAUSE_MS), LOOK_INTERVAL_MS);
    this.#looking = repeat(() => this.#look(), pauseMs);
  }

  /** Looks again at once. */
  nudge(): void {
    this.#looking.soon();
  }

  /** Takes no more calls and waits for the running ones; after `drainMs` they are cut. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    const idle = async () => {
      await this.#looking.stop();
      await Promise.all(this.#inFlight.keys());
    };
    await Promise.race([idle(), new Promise((resolve) => setTimeout(resolve, this.#settings.drainMs).unref())]);
    this.#cutting.abort();
    this.#engine.db.abandon();
    await idle();
  }

  /** Never throws: the next look comes in a moment. */
  async #look(): Promise<void> {
    if (this.#isClosing) return;
    const { workerId, concurrency } = this.#settings;
    try {
      const due = await lookForWork(this.#engine, workerId, [...this.#inFlight.values()]);
      this.#nextDueMs = due.nextDue?.getTime() ?? Number.POSITIVE_INFINITY;
      if (due.hasStrays) await releaseCalls(this.#engine.db, workerId, [...this.#inFlight.values()]);
      if (due.hasEvents) while ((await routeEvents(this.#engine)) > 0);
      if (due.hasSteps) while ((await wakeDue(this.#engine)) === WAKE_BATCH);
      this.#hasBacklog = due.hasCalls || due.hasEvents || due.hasSteps;
      const places = concurrency - this.#inFlight.size;
      if (!this.#hasBacklog || places <= 0 || this.#isClosing) return;
      const claims = await claimCalls(this.#engine, workerId, places);
      this.#hasBacklog = claims.hasBacklog;
      for (const call of claims.calls) this.#follow(call);
    } catch (error) {
      this.#nextDueMs = Number.POSITIVE_INFINITY;
      this.#engine.log(`executor: it could not look for work: ${messageOf(error)}`);
    }
  }

  #follow(call: ClaimedCall): void {
    const work = this.#makeCalls(call).finally(() => {
      this.#inFlight.delete(work);
      if (this.#hasBacklog) this.nudge();
    });
    this.#inFlight.set(work, call.state.id);
  }

  /** Makes a call, and then those that follow from it. Never throws. */
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

  /** @returns the call that follows at once, if this executor may go on with it. */
  async #makeCall({ state, target }: ClaimedCall): Promise<ClaimedCall | undefined> {
    const { signal } = this.#cutting;
    const answer = await askApp(this.#engine, state, target, signal);
    if (signal.aborted) return undefined;
    const keepFor = this.#mayGoOn(state.functionId) ? this.#settings.workerId : undefined;
    const saved = await this.#engine.db.persist(() => settleAnswer(this.#engine, state, target, answer, keepFor));
    if (saved?.isMoreDue) this.nudge();
    return saved?.target === undefined ? undefined : { target: saved.target, state: saved.state };
  }

  /**
   * Whether the run goes on in its place. Where calls wait only for their key, and there is one, the run that has the
   * place is the oldest of its lane; where they wait for any place, or for one of two keys, it must be their turn.
   */
  #mayGoOn(functionId: string): boolean {
    if (this.#isClosing) return false;
    const rules = this.#engine.registry.functions.get(functionId)?.concurrency.length ?? 0;
    return !this.#hasBacklog || (rules <= 1 && this.#inFlight.size < this.#settings.concurrency);
  }
}

/** What there is to do; times in `nextDue` are yet to come. */
interface DueWork {
  hasEvents: boolean;
  hasSteps: boolean;
  hasCalls: boolean;
  /** Calls are claimed by this executor that it does not know of: the answer to a commit was lost. */
  hasStrays: boolean;
  nextDue: Date | null;
}

/** A few looks into indexes: ten thousand sleeping runs cost no more than one. */
async function lookForWork({ db }: Engine, workerId: string, knownRuns: readonly string[]): Promise<DueWork> {
  const { rows } = await db.query<DueWork>(
    `select exists (select 1 from event where not routed) as "hasEvents",
       exists (select 1 from step where completion is null and due_at <= $1
         and (select status from run where run.id = step.run_id) = 'running') as "hasSteps",
       exists (select 1 from call where claimed_by is null and due_at <= $1) as "hasCalls",
       exists (select 1 from call where claimed_by = $2 and run_id <> all($3)) as "hasStrays",
       least((select min(due_at) from step where completion is null and due_at > $1),
         (select min(due_at) from call where claimed_by is null and due_at > $1)) as "nextDue"`,
    [iso(Date.now()), workerId, knownRuns],
  );
  return rows[0] ?? { hasEvents: false, hasSteps: false, hasCalls: false, hasStrays: false, nextDue: null };
}

/** Ends up to WAKE_BATCH sleeps that are due. @returns how many runs that let go on. */
async function wakeDue({ db }: Engine): Promise<number> {
  const { rows } = await db.query<{ count: number }>("select wake_due($1, $2) as count", [iso(Date.now()), WAKE_BATCH]);
  return rows[0]?.count ?? 0;
}

async function askApp(engine: Engine, state: RunState, target: string, signal: AbortSignal): Promise<Answer> {
  const { id, functionId } = state;
  const fn = engine.registry.functions.get(functionId);
  if (fn !== undefined) return engine.app.call(functionId, target, id, callBody(state, target, fn.maxAttempts), signal);
  const reason = `The app has no function "${functionId}" any more`;
  return { kind: "misconfigured", reason, isUnknownFunction: true };
}

/** Decides on the newest state, for as long as others write to the run; a call that is stale by then changes nothing. */
async function settleAnswer(
  engine: Engine,
  asked: RunState,
  target: string,
  answer: Answer,
  keepFor: string | undefined,
): Promise<Saved | undefined> {
  if (answer.kind === "misconfigured") {
    if (answer.isUnknownFunction) engine.requestSync();
    else engine.log(`executor: ${answer.reason}`);
  }
  const generation = asked.calls.get(target)?.generation;
  let state: RunState | undefined = asked;
  while (state !== undefined) {
    const owed = state.calls.get(target);
    if (owed === undefined || owed.generation !== generation) return undefined;
    const draft = draftOf(state, target, Date.now());
    settleCall(draft, engine, answer);
    const saved = await saveDraft(engine.db, draft, keepFor);
    if (saved !== undefined) return saved;
    state = await readRunState(engine.db, state.id);
  }
  return undefined;
}

/** What we did not foresee must not lose a run: its call is made again later. */
async function postpone(
  engine: Engine,
  workerId: string,
  { state, target }: ClaimedCall,
  error: unknown,
): Promise<void> {
  engine.log(`executor: run ${state.id} of "${state.functionId}" met an unforeseen error: ${messageOf(error)}`);
  try {
    await engine.db.persist(() =>
      engine.db.query(
        "update call set claimed_by = null, due_at = $4 where run_id = $1 and target = $2 and claimed_by = $3",
        [state.id, target, workerId, iso(Date.now() + MISHAP_DELAY_MS)],
      ),
    );
  } catch (problem) {
    engine.log(`executor: the call of run ${state.id} to "${target}" stays claimed: ${messageOf(problem)}`);
  }
}

import type { Answer } from "./answer.ts";
import { callBody } from "./call-body.ts";
import type { ClaimedCall } from "./claim.ts";
import { draftOf, type Saved, saveDraft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import { type OpenCall, type RunState, readRunState } from "./run-state.ts";
import { settleCall } from "./settle-call.ts";
import { iso, messageOf } from "./values.ts";

/** Who follows a run. */
export interface Follower {
  /** The name under which calls are claimed. */
  workerId: string;
  /** Cuts the call that is being made; what it answers does not count then. */
  signal: AbortSignal;
  /** Whether a run of this function may keep its place for its next call, because it takes none from anybody. */
  mayGoOn(functionId: string): boolean;
  /** Calls were opened that somebody has to look for. */
  onMoreDue(): void;
}

/** After an error that is our own fault, so that the call is neither lost nor made all the time. */
const MISHAP_DELAY_MS = 10_000;

/** Makes a call, and then those that follow from it. Never throws. */
export async function followRun(engine: Engine, follower: Follower, first: ClaimedCall): Promise<void> {
  let current = first;
  try {
    for (;;) {
      const next = await makeCall(engine, follower, current);
      if (next === undefined) return;
      current = next;
    }
  } catch (error) {
    await mishap(engine, follower.workerId, current, error);
  }
}

/** @returns the call that follows at once, if this follower may go on with it. */
async function makeCall(
  engine: Engine,
  { workerId, signal, mayGoOn, onMoreDue }: Follower,
  { state, target }: ClaimedCall,
): Promise<ClaimedCall | undefined> {
  const answer = await askApp(engine, state, target, signal);
  if (signal.aborted) return undefined;
  const keepFor = mayGoOn(state.functionId) ? workerId : undefined;
  const saved = await engine.db.persist(() => settle(engine, state, target, answer, keepFor));
  if (saved?.isMoreDue) onMoreDue();
  return saved?.target === undefined ? undefined : { target: saved.target, state: saved.state };
}

async function askApp(engine: Engine, state: RunState, target: string, signal: AbortSignal): Promise<Answer> {
  const { id, functionId } = state;
  const fn = engine.registry.functions.get(functionId);
  if (fn === undefined) {
    const reason = `The app has no function "${functionId}" any more`;
    return { kind: "misconfigured", reason, isUnknownFunction: true };
  }
  return engine.app.call(functionId, target, id, callBody(state, target, fn.maxAttempts), signal);
}

/** Decides on the newest state, for as long as others write to the run; a call that is stale by then changes nothing. */
async function settle(
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
    const owed: OpenCall | undefined = state.calls.get(target);
    if (owed === undefined || owed.generation !== generation) return undefined;
    const draft = draftOf(state, Date.now());
    settleCall(draft, engine, target, answer);
    const saved = await saveDraft(engine.db, draft, keepFor);
    if (saved !== undefined) return saved;
    state = await readRunState(engine.db, state.id);
  }
  return undefined;
}

/** What we did not foresee must not lose a run: its call is made again later. */
async function mishap(engine: Engine, workerId: string, { state, target }: ClaimedCall, error: unknown): Promise<void> {
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

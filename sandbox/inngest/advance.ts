import type { Answer } from "./answer.ts";
import { applyAnswer } from "./apply-answer.ts";
import type { Queryable, Tx } from "./database.ts";
import type { Engine } from "./engine.ts";
import { type CallRef, DISCOVERY, lockCalledRun } from "./runs.ts";
import { claimSlots } from "./slots.ts";

/** What `version` says before the SDK has named its own, and after. */
const FIRST_CALL = -1;
const SPOKEN_VERSION = 2;

/** A call that may be made now, with all that its body needs. */
interface DueCall extends CallRef {
  functionId: string;
  attempt: number;
  event: unknown;
  /** In order of completion; `memo` is JSON text. */
  memos: readonly { id: string; memo: string }[];
}

/** Makes one call and applies its answer. Does nothing when the call is stale or must wait for its concurrency key. */
export async function advance(engine: Engine, ref: CallRef, signal: AbortSignal): Promise<void> {
  const call = await engine.db.persist(() => readCall(engine.db, ref));
  if (call === undefined || !(await mayStart(engine, call))) return;
  const answer = await askApp(engine, call, signal);
  await engine.db.persist(() => engine.db.transaction((tx) => applyAnswer(tx, engine, call, answer)));
}

/** One statement, hence one snapshot: the stack never lacks a memo. */
async function readCall(db: Queryable, ref: CallRef): Promise<DueCall | undefined> {
  const { rows } = await db.query<{
    functionId: string;
    attempt: number;
    event: string;
    memos: { id: string; memo: string }[] | null;
  }>(
    `select run.function_id as "functionId", call.attempt, event.body as event,
       (select json_agg(json_build_object('id', step.id, 'memo', step.memo) order by step.completion)
        from step where step.run_id = run.id and step.completion is not null) as memos
     from call join run on run.id = call.run_id join event on event.id = run.event_id
     where call.run_id = $1 and call.target = $2 and call.generation = $3 and run.status = 'running'`,
    [ref.runId, ref.target, ref.generation],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  return { ...ref, ...row, event: JSON.parse(row.event), memos: row.memos ?? [] };
}

async function mayStart(engine: Engine, call: DueCall): Promise<boolean> {
  const rules = engine.registry.functions.get(call.functionId)?.concurrency ?? [];
  if (rules.length === 0) return true;
  const claim = async (tx: Tx) => {
    const run = await lockCalledRun(tx, call);
    return run !== undefined && claimSlots(tx, engine, call, rules, call.event);
  };
  return engine.db.persist(() => engine.db.transaction(claim));
}

async function askApp(engine: Engine, call: DueCall, signal: AbortSignal): Promise<Answer> {
  const fn = engine.registry.functions.get(call.functionId);
  if (fn === undefined) {
    return {
      kind: "misconfigured",
      reason: `The app has no function "${call.functionId}" any more`,
      isUnknownFunction: true,
    };
  }
  return engine.app.call(call.functionId, call.target, call.runId, callBody(call, fn.maxAttempts), signal);
}

/**
 * The body of INNGEST.md §2. Without `ctx.fn_id` the SDK runs one step per call instead of checkpointing;
 * `events` is always filled, or a wrong function would run.
 */
function callBody(call: DueCall, maxAttempts: number): string {
  const stack = call.memos.map((memo) => memo.id);
  return JSON.stringify({
    version: stack.length === 0 ? FIRST_CALL : SPOKEN_VERSION,
    event: call.event,
    events: [call.event],
    use_api: false,
    steps: Object.fromEntries(call.memos.map(({ id, memo }) => [id, JSON.parse(memo)])),
    ctx: {
      run_id: call.runId,
      attempt: call.attempt,
      max_attempts: maxAttempts,
      disable_immediate_execution: call.target !== DISCOVERY,
      use_api: false,
      stack: { stack, current: stack.length },
      step_id: call.target,
    },
  });
}

import { DISCOVERY, type RunState } from "./run-state.ts";
import { canonicalJson } from "./signature.ts";

/** What `version` says before the SDK has named its own, and after. */
const FIRST_CALL = -1;
const SPOKEN_VERSION = 2;

/**
 * The body of INNGEST.md §2, as canonical JSON: what is signed is what is sent. Without `ctx.fn_id` the SDK runs one
 * step per call instead of checkpointing; `events` is always filled, or a wrong function would run. While steps of a
 * race are under way nothing new may run inside a discovery, for another one may come at any time.
 */
export function callBody(state: RunState, target: string, maxAttempts: number): string {
  const stack = state.memos.map((memo) => memo.id);
  const event: unknown = JSON.parse(state.event);
  const isRacing = [...state.steps.values()].some((step) => !step.isDone && !step.isInline);
  return canonicalJson({
    version: stack.length === 0 ? FIRST_CALL : SPOKEN_VERSION,
    event,
    events: [event],
    use_api: false,
    steps: Object.fromEntries(state.memos.map(({ id, memo }) => [id, JSON.parse(memo)])),
    ctx: {
      run_id: state.id,
      attempt: state.calls.get(target)?.attempt ?? 0,
      max_attempts: maxAttempts,
      disable_immediate_execution: target !== DISCOVERY || isRacing,
      use_api: false,
      stack: { stack, current: stack.length },
      step_id: target,
    },
  });
}

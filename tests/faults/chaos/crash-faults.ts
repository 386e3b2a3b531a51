import { delay, within } from "./bounded.ts";
import { type Fault, type FaultContext, type Phase, victimOf, waitUntilHeld } from "./fault.ts";
import type { Hold, HoldRule, Holds } from "./holds.ts";
import { generate, schedule } from "./requests.ts";
import type { TestStack } from "./stack.ts";
import { makeVideos } from "./video-faults.ts";

/** A point at which to crash a process: in which traffic, and where. */
interface CrashPoint {
  name: string;
  what: string;
  phase: Phase;
  holdsOf(stack: TestStack): Holds;
  at: RegExp;
  following?: RegExp;
  /** The user's own request is interrupted and its response is lost. */
  isSubmit?: boolean;
  /** The pins are videos. */
  isVideo?: boolean;
}

const COMMIT = /^\s*commit/i;
const database = ({ proxies }: TestStack): Holds => proxies.appDatabase.holds;

/** The eight steps of a pin, and two of a video's way to Pinterest. */
const CRASH_POINTS: readonly CrashPoint[] = [
  {
    name: "reserve",
    what: "the commit that reserves the credits and creates the tasks",
    phase: "generation",
    holdsOf: database,
    at: COMMIT,
    following: /insert into "credit_reservations"/,
    isSubmit: true,
  },
  {
    name: "text",
    what: "the call to the text model",
    phase: "generation",
    holdsOf: ({ proxies }) => proxies.openAi.holds,
    at: /^POST \/v1\/(chat\/completions|responses)$/,
  },
  {
    name: "image",
    what: "the call to the image model",
    phase: "generation",
    holdsOf: ({ proxies }) => proxies.openAi.holds,
    at: /^POST \/v1\/images\/generations$/,
  },
  {
    name: "store",
    what: "recording that the image is stored",
    phase: "generation",
    holdsOf: database,
    at: /update "generation_tasks" set [^;]*"image_key"/,
  },
  {
    name: "settle",
    what: "the commit of draft, credits and the completed task",
    phase: "generation",
    holdsOf: database,
    at: COMMIT,
    following: /insert into "pins"/,
  },
  {
    name: "schedule-commit",
    what: "the commit of a schedule",
    phase: "publishing",
    holdsOf: database,
    at: COMMIT,
    following: /update "pins" set [^;]*"batch_id"/,
    isSubmit: true,
  },
  {
    name: "video-registered",
    what: "recording where a video is uploaded",
    phase: "publishing",
    holdsOf: database,
    at: /update "video_uploads" set [^;]*"media_id"/,
    isVideo: true,
  },
  {
    name: "video-uploaded",
    what: "recording that a video is uploaded",
    phase: "publishing",
    holdsOf: database,
    at: /update "video_uploads" set [^;]*"uploaded_at"/,
    isVideo: true,
  },
  {
    name: "publish-sent",
    what: "the call that creates a pin",
    phase: "publishing",
    holdsOf: ({ proxies }) => proxies.pinterest.holds,
    at: /^POST \/v5\/pins$/,
  },
  {
    name: "publish-acknowledged",
    what: "recording Pinterest's response",
    phase: "publishing",
    holdsOf: database,
    at: /update "publish_attempts" set [^;]*"answered_at"/,
  },
];

const SUBMIT_MS = 60_000;
/** How many calls are held at once, and how long to wait for more of them. */
const AT_ONCE = 3;
const EXTRA_WAIT_MS = 120;

/** kill -9 of app and executor, before and after each crash point: 40 faults. */
export const crashFaults: readonly Fault[] = CRASH_POINTS.flatMap((crashPoint) =>
  (["before", "after"] as const).flatMap((side) =>
    (["app", "executor"] as const).map((victim) => crashFault(crashPoint, side, victim)),
  ),
);

function crashFault(crashPoint: CrashPoint, side: HoldRule["side"], victim: "app" | "executor"): Fault {
  const position = side === "before" ? "just before" : "just after";
  const killAt = (context: FaultContext, submit: Promise<unknown> = Promise.resolve()) =>
    killAtPoint(context, crashPoint, side, victim, submit);
  return {
    name: `kill-${victim}-${side}-${crashPoint.name}`,
    what: `kill -9 of the ${victim} ${position} ${crashPoint.what}`,
    phase: crashPoint.phase,
    ...(crashPoint.isSubmit ? submitHooks(crashPoint, killAt) : stepHooks(crashPoint, side, killAt)),
  };
}

type KillAt = (context: FaultContext, submit?: Promise<unknown>) => Promise<void>;
const armed = new WeakMap<FaultContext, Hold>();

/** The crash point is in the user's request: it is held there, and the process dies. */
function submitHooks(crashPoint: CrashPoint, killAt: KillAt): Partial<Fault> {
  return {
    begin: async (context) => {
      const submit =
        crashPoint.phase === "generation"
          ? generate(context.pinRequests)
          : schedule(context.stack, context.pinRequests, context.slots);
      await killAt(context, submit);
    },
  };
}

/** The crash point is in a durable step: it is armed before the work starts, so that it can't be missed. */
function stepHooks(crashPoint: CrashPoint, side: HoldRule["side"], killAt: KillAt): Partial<Fault> {
  return {
    arm: async (context) => {
      if (crashPoint.isVideo) await makeVideos(context);
      armed.set(context, addHold(context, crashPoint, side));
    },
    inject: (context) => killAt(context),
    heal: async (context) => armed.get(context)?.release(),
  };
}

function addHold({ stack, random, pinRequests }: FaultContext, crashPoint: CrashPoint, side: HoldRule["side"]): Hold {
  const skip = crashPoint.isSubmit ? 0 : random.below(Math.min(3, pinRequests.length));
  const rule = { side, at: crashPoint.at, times: AT_ONCE, skip };
  return crashPoint.holdsOf(stack).add(crashPoint.following ? { ...rule, following: crashPoint.following } : rule);
}

async function killAtPoint(
  context: FaultContext,
  crashPoint: CrashPoint,
  side: HoldRule["side"],
  victim: "app" | "executor",
  submit: Promise<unknown>,
): Promise<void> {
  const { processes } = context.stack;
  const hold = armed.get(context) ?? addHold(context, crashPoint, side);
  const name = victimOf(context, victim);
  try {
    // If nothing reached the point, the count is 0 and the fault is reported as missed.
    if (await waitUntilHeld(context.stack, hold)) await delay(EXTRA_WAIT_MS);
    context.injected(hold.count());
    await processes.kill(name);
  } finally {
    // The connections of a dead process are cut; a live app continues without its executor.
    if (victim === "app") hold.cut();
    else hold.release();
  }
  await processes.start(name);
  await within(submit, SUBMIT_MS, "the press to come back");
}

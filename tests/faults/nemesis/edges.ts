import { order, schedule } from "./asks.ts";
import { delay, within } from "./bounded.ts";
import { awaitCaught, type Fault, type Phase, type Scene } from "./fault.ts";
import type { Hold, HoldRule, Holds } from "./holds.ts";
import type { World } from "./world.ts";

/** A step's edge: where to stop, and in which traffic. */
interface Edge {
  name: string;
  what: string;
  phase: Phase;
  holdsOf(world: World): Holds;
  at: RegExp;
  following?: RegExp;
  /** The press of the button itself is cut off, so nobody gets its answer. */
  isPress?: boolean;
}

const COMMIT = /^\s*commit/i;
const database = ({ proxies }: World): Holds => proxies.appDatabase.holds;

/** The eight steps of a pin's way (QUALITY §2). */
const EDGES: readonly Edge[] = [
  {
    name: "reserve",
    what: "the commit that holds the credits and writes the tasks",
    phase: "making",
    holdsOf: database,
    at: COMMIT,
    following: /insert into "credit_reservations"/,
    isPress: true,
  },
  {
    name: "text",
    what: "the call to the text model",
    phase: "making",
    holdsOf: ({ proxies }) => proxies.openAi.holds,
    at: /^POST \/v1\/(chat\/completions|responses)$/,
  },
  {
    name: "image",
    what: "the call to the image model",
    phase: "making",
    holdsOf: ({ proxies }) => proxies.openAi.holds,
    at: /^POST \/v1\/images\/generations$/,
  },
  {
    name: "store",
    what: "the note that the picture is stored",
    phase: "making",
    holdsOf: database,
    at: /update "generation_tasks" set [^;]*"image_key"/,
  },
  {
    name: "settle",
    what: "the commit of draft, credits and the task's end",
    phase: "making",
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
    isPress: true,
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
    what: "the note of Pinterest's answer",
    phase: "publishing",
    holdsOf: database,
    at: /update "publish_attempts" set [^;]*"answered_at"/,
  },
];

const PRESS_MS = 60_000;
/** So many are stopped at once; whoever comes next within a moment is stopped too. */
const AT_ONCE = 3;
const MOMENT_MS = 120;

/** kill -9 of app and executor, before and after each edge: 32 faults. */
export const edgeFaults: readonly Fault[] = EDGES.flatMap((edge) =>
  (["before", "after"] as const).flatMap((side) =>
    (["app", "executor"] as const).map((victim) => edgeFault(edge, side, victim)),
  ),
);

function edgeFault(edge: Edge, side: HoldRule["side"], victim: "app" | "executor"): Fault {
  const place = side === "before" ? "just before" : "just after";
  const killAt = (scene: Scene, press: Promise<unknown> = Promise.resolve()) =>
    killAtEdge(scene, edge, side, victim, press);
  return {
    name: `kill-${victim}-${side}-${edge.name}`,
    what: `kill -9 of the ${victim} ${place} ${edge.what}`,
    phase: edge.phase,
    ...(edge.isPress ? pressHooks(edge, killAt) : stepHooks(edge, side, killAt)),
  };
}

type KillAt = (scene: Scene, press?: Promise<unknown>) => Promise<void>;
const armed = new WeakMap<Scene, Hold>();

/** The edge lies in the press of the button: it is stopped there, and the process dies under it. */
function pressHooks(edge: Edge, killAt: KillAt): Partial<Fault> {
  return {
    begin: async (scene) => {
      const press = edge.phase === "making" ? order(scene.asks) : schedule(scene.world, scene.asks, scene.slots);
      await killAt(scene, press);
    },
  };
}

/** The edge lies in a durable step: it is armed before the work begins, so that it cannot be missed. */
function stepHooks(edge: Edge, side: HoldRule["side"], killAt: KillAt): Partial<Fault> {
  return {
    arm: async (scene) => {
      armed.set(scene, addHold(scene, edge, side));
    },
    strike: (scene) => killAt(scene),
    heal: async (scene) => armed.get(scene)?.release(),
  };
}

function addHold({ world, random, asks }: Scene, edge: Edge, side: HoldRule["side"]): Hold {
  const skip = edge.isPress ? 0 : random.below(Math.min(3, asks.length));
  const rule = { side, at: edge.at, times: AT_ONCE, skip };
  return edge.holdsOf(world).add(edge.following ? { ...rule, following: edge.following } : rule);
}

async function killAtEdge(
  scene: Scene,
  edge: Edge,
  side: HoldRule["side"],
  victim: "app" | "executor",
  press: Promise<unknown>,
): Promise<void> {
  const { processes } = scene.world;
  const hold = armed.get(scene) ?? addHold(scene, edge, side);
  try {
    // Where nothing came to the edge, the count is 0: the fault is reported as missed.
    if (await awaitCaught(scene.world, hold)) await delay(MOMENT_MS);
    scene.injected(hold.count());
    await processes.kill(victim);
  } finally {
    // What a dead process had sent is cut off with it; a living app goes on, and finds nobody to tell.
    if (victim === "app") hold.cut();
    else hold.release();
  }
  await processes.start(victim);
  await within(press, PRESS_MS, "the press to come back");
}

import { becomes, delay } from "./bounded.ts";
import type { Fault, FaultContext, Phase } from "./fault.ts";
import { type Follower, follow } from "./follower.ts";
import { generate, readPins } from "./requests.ts";

/** Between two users' requests, so that they are spread over the deploy. */
const SPREAD_MS = 200;
/** How long an event may take to reach an open page. */
const EVENT_MS = 20_000;

const followers = new WeakMap<FaultContext, Follower>();

/** Faults of several instances behind a proxy. */
export const instanceFaults: readonly Fault[] = [
  ...(["generation", "publishing"] as const).map(deploy),
  {
    name: "kill-each-instance",
    what: "kill -9 of one instance after the other, while pages are open",
    phase: "publishing",
    arm: openPage,
    inject: async ({ stack, injected }) => {
      for (const name of stack.shape.instances) {
        await stack.processes.kill(name);
        injected();
        await stack.processes.start(name);
      }
    },
    clear: closePage,
  },
];

/** A new version is deployed one instance after the other, with requests in flight and open pages. */
function deploy(phase: Phase): Fault {
  return {
    name: `rolling-deploy-${phase}`,
    what: `the instances get SIGTERM and start again, one after the other, ${phase}`,
    phase,
    arm: openPage,
    ...(phase === "generation" ? { begin: generateMeanwhile } : { inject: restartInTurn }),
    clear: closePage,
  };
}

async function restartInTurn({ stack, injected }: FaultContext): Promise<void> {
  for (const name of stack.shape.instances) {
    await stack.processes.stop(name);
    injected();
    await stack.processes.start(name);
  }
}

/** Each user's request is accepted, whichever instance is stopping. */
async function generateMeanwhile(context: FaultContext): Promise<void> {
  const { pinRequests, complain } = context;
  const restarting = restartInTurn(context);
  for (const own of Map.groupBy(pinRequests, ({ testUser }) => testUser).values()) {
    const statuses = await generate(own);
    const refused = statuses.filter((status) => status !== 200);
    if (refused.length > 0) complain(`a generation was answered with ${refused.join(", ")} during the deploy`);
    await delay(SPREAD_MS);
  }
  await restarting;
}

async function openPage(context: FaultContext): Promise<void> {
  const [testUser] = context.testUsers;
  if (testUser) followers.set(context, follow(context.stack.baseUrl, testUser));
}

/** The page has seen every published pin of its user, without a failed read and without starting over. */
async function closePage(context: FaultContext): Promise<void> {
  const follower = followers.get(context);
  const [testUser] = context.testUsers;
  if (!follower || !testUser) return;
  const { stack, pinRequests, complain } = context;
  const own = pinRequests.filter((pinRequest) => pinRequest.testUser === testUser);
  const rows = await readPins(stack, own);
  const ids = rows.filter(({ status }) => status === "published").map(({ id }) => id);
  const missing = () => ids.filter((id) => !follower.published().has(id));
  if (!(await becomes(() => missing().length === 0, EVENT_MS)))
    complain(`the live stream lacks ${missing().join(", ")}`);
  if (follower.wasReset()) complain("the live stream could not resume");
  if (follower.connections() < 2) complain("the live stream was never interrupted");
  for (const failure of follower.failedReads()) complain(failure);
  await follower.end();
}

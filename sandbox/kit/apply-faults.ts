import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { ActiveFault, Faults } from "./faults.ts";
import type { StandInEnv } from "./serve.ts";

/** Reads from a request what rules may select on with `where`, for instance the account. */
export type LabelsOf = (c: Context<StandInEnv>) => Record<string, string> | Promise<Record<string, string>>;

/** Lets the stored faults strike; without one for the request it is answered as usual. Labels go to the log too. */
export function applyFaults(faults: Faults, labelsOf: LabelsOf = () => ({})): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const labels = await labelsOf(c);
    c.set("labels", labels);
    const fault = faults.take(`${c.req.method} ${c.req.path}`, labels);
    if (fault === undefined) return next();
    const name = fault.scenario ?? describe(fault);
    c.set("fault", name);
    c.set("note", `fault: ${name}`);
    if (fault.play !== undefined) c.set("play", fault.play);
    const isActedOn = fault.after === "creating" || fault.torn === true;
    if (isActedOn) await act(c, next);
    else await c.req.arrayBuffer();
    if (await isStoppedIn(c, fault.delayMs ?? 0)) return cutOff(c);
    await strike(c, fault, next);
  };
}

/** Waits; true when the stand-in stopped meanwhile, so that nothing is to be done any more. */
async function isStoppedIn(c: Context<StandInEnv>, ms: number): Promise<boolean> {
  if (ms === 0) return false;
  try {
    await delay(ms, undefined, { signal: c.env.closing });
  } catch (error) {
    if (!c.env.closing.aborted) throw error;
  }
  return c.env.closing.aborted;
}

/** Ends the connection without an answer. */
function cutOff(c: Context<StandInEnv>): void {
  c.set("isCut", true);
  c.env.outgoing.destroy();
  // Assigned over an answer it would take on that one's headers, and no longer be known as sent.
  c.res = undefined;
  c.res = RESPONSE_ALREADY_SENT.clone();
}

/** Whether a fault asks the stand-in itself to play `part` in this request. */
export function isPlaying(c: Context<StandInEnv>, part: string): boolean {
  return c.get("play") === part;
}

async function act(c: Context<StandInEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  c.set("acted", c.res.status);
}

async function strike(c: Context<StandInEnv>, fault: ActiveFault, next: () => Promise<void>): Promise<void> {
  if (fault.hang) await clientGone(c);
  if (fault.torn) await sendHalf(c);
  if (fault.hang || fault.cut || fault.torn) return cutOff(c);
  if (fault.malformed) {
    c.res = new Response('{"id": "8130', { status: 200, headers: { "content-type": "application/json" } });
    return;
  }
  if (fault.status !== undefined || fault.body !== undefined) {
    c.res = undefined;
    c.res = wrongAnswer(fault);
    return;
  }
  if (fault.after !== "creating") await next();
  for (const [name, value] of Object.entries(fault.headers ?? {})) c.res.headers.set(name, value);
}

/** The length announced is the whole one, so the client knows that something is missing. */
async function sendHalf(c: Context<StandInEnv>): Promise<void> {
  const { outgoing } = c.env;
  if (outgoing.destroyed) return;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  outgoing.writeHead(c.res.status, { ...Object.fromEntries(c.res.headers), "content-length": bytes.length });
  await new Promise<void>((resolve) => {
    outgoing.once("close", () => resolve());
    outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => resolve());
  });
}

function wrongAnswer({ status = 200, body, headers = {} }: ActiveFault): Response {
  if (body === undefined) return new Response(null, { status, headers });
  const isText = typeof body === "string";
  return new Response(isText ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": isText ? "text/plain; charset=utf-8" : "application/json", ...headers },
  });
}

async function clientGone(c: Context<StandInEnv>): Promise<void> {
  const { outgoing } = c.env;
  if (outgoing.destroyed) return;
  await new Promise<void>((resolve) => outgoing.once("close", () => resolve()));
}

function describe(fault: ActiveFault): string {
  if (fault.cut) return "cut";
  if (fault.torn) return "torn";
  if (fault.hang) return "hang";
  if (fault.malformed) return "malformed";
  if (fault.play !== undefined) return fault.play;
  return fault.status === undefined ? "slow" : String(fault.status);
}

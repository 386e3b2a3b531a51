import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { ActiveFault, Faults } from "./faults.ts";
import type { StandInEnv } from "./serve.ts";

/** Reads from a request what rules may select on with `where`, for instance the account. */
export type LabelsOf = (c: Context<StandInEnv>) => Record<string, string> | Promise<Record<string, string>>;

/** Lets the stored faults strike; without one for the request it is answered as usual. Labels go to the log too. */
export function applyFaults(faults: Faults, labelsOf: LabelsOf): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const labels = await labelsOf(c);
    c.set("labels", labels);
    const fault = faults.take(`${c.req.method} ${c.req.path}`, labels);
    if (fault === undefined) return next();
    c.set("fault", nameOf(fault));
    if (fault.play !== undefined) c.set("play", fault.play);
    const isActedOn = fault.after === "creating" || fault.torn === true;
    if (isActedOn) {
      await next();
      c.set("acted", c.res.status);
    } else {
      await c.req.arrayBuffer();
    }
    if (await isStopped(fault.delayMs, c.env.closing)) return cutOff(c);
    await strike(c, fault, next);
  };
}

/** Waits; true when the stand-in stopped meanwhile, so that nothing is to be done any more. */
export async function isStopped(delayMs = 0, closing: AbortSignal): Promise<boolean> {
  try {
    if (delayMs > 0) await delay(delayMs, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
  return closing.aborted;
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

async function strike(c: Context<StandInEnv>, fault: ActiveFault, next: () => Promise<void>): Promise<void> {
  if (fault.hang) await clientGone(c);
  if (fault.torn) await sendHalf(c);
  if (fault.hang || fault.cut || fault.torn) return cutOff(c);
  if (fault.malformed || fault.status !== undefined || fault.body !== undefined) {
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

function wrongAnswer({ malformed, status = 200, body, headers }: ActiveFault): Response {
  if (malformed) return new Response('{"id": "8130', { headers: { "content-type": "application/json" } });
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
  const [text, type] = typeof body === "string" ? [body, "text/plain"] : [JSON.stringify(body), "application/json"];
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

async function clientGone({ env: { outgoing } }: Context<StandInEnv>): Promise<void> {
  if (outgoing.destroyed) return;
  await new Promise<void>((resolve) => outgoing.once("close", () => resolve()));
}

/** How the log calls a fault: by its scenario, else by what it does. */
export function nameOf({ scenario, cut, torn, hang, malformed, play, status }: ActiveFault): string {
  if (scenario !== undefined) return scenario;
  const done = Object.entries({ cut, torn, hang, malformed }).find(([, isAsked]) => isAsked)?.[0];
  return done ?? play ?? String(status ?? "slow");
}

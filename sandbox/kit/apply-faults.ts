import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { ActiveFault, Faults } from "./faults.ts";
import type { StandInEnv } from "./serve.ts";

/** Reads the labels of a request that faults can match with `where`, for instance the account. */
export type LabelsOf = (c: Context<StandInEnv>) => Record<string, string> | Promise<Record<string, string>>;

/** Applies the stored faults. A request that matches none is handled normally. The labels also go to the log. */
export function applyFaults(faults: Faults, labelsOf: LabelsOf): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const labels = await labelsOf(c);
    c.set("labels", labels);
    const fault = faults.take(`${c.req.method} ${c.req.path}`, labels);
    if (fault === undefined) return next();
    c.set("fault", faultName(fault));
    if (fault.play !== undefined) c.set("play", fault.play);
    const isHandledFirst = fault.after === "creating" || fault.torn === true;
    if (isHandledFirst) {
      await next();
      c.set("acted", c.res.status);
    } else {
      await c.req.arrayBuffer();
    }
    if (await isStopped(fault.delayMs, c.env.closing)) return closeConnection(c);
    await applyFault(c, fault, next);
  };
}

/** Waits. Returns true if the stand-in was stopped in the meantime and the request should be dropped. */
export async function isStopped(delayMs = 0, closing: AbortSignal): Promise<boolean> {
  try {
    if (delayMs > 0) await delay(delayMs, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
  return closing.aborted;
}

/** Closes the connection without a response. */
function closeConnection(c: Context<StandInEnv>): void {
  c.set("isCut", true);
  c.env.outgoing.destroy();
  // Assigning over an existing response would merge its headers and lose the "already sent" marker.
  c.res = undefined;
  c.res = RESPONSE_ALREADY_SENT.clone();
}

/** Whether a fault asks the stand-in to simulate this behavior in the current request. */
export function isSimulating(c: Context<StandInEnv>, behavior: string): boolean {
  return c.get("play") === behavior;
}

async function applyFault(c: Context<StandInEnv>, fault: ActiveFault, next: () => Promise<void>): Promise<void> {
  if (fault.hang) await waitForClose(c);
  if (fault.torn) await sendHalfResponse(c);
  if (fault.hang || fault.cut || fault.torn) return closeConnection(c);
  if (fault.malformed || fault.status !== undefined || fault.body !== undefined) {
    c.res = undefined;
    c.res = faultResponse(fault);
    return;
  }
  if (fault.after !== "creating") await next();
  for (const [name, value] of Object.entries(fault.headers ?? {})) c.res.headers.set(name, value);
}

/** Announces the full length, so the client can tell that the body is incomplete. */
async function sendHalfResponse(c: Context<StandInEnv>): Promise<void> {
  const { outgoing } = c.env;
  if (outgoing.destroyed) return;
  const bytes = Buffer.from(await c.res.arrayBuffer());
  outgoing.writeHead(c.res.status, { ...Object.fromEntries(c.res.headers), "content-length": bytes.length });
  await new Promise<void>((resolve) => {
    outgoing.once("close", () => resolve());
    outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => resolve());
  });
}

function faultResponse({ malformed, status = 200, body, headers }: ActiveFault): Response {
  if (malformed) return new Response('{"id": "8130', { headers: { "content-type": "application/json" } });
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
  const [text, type] = typeof body === "string" ? [body, "text/plain"] : [JSON.stringify(body), "application/json"];
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

async function waitForClose({ env: { outgoing } }: Context<StandInEnv>): Promise<void> {
  if (outgoing.destroyed) return;
  await new Promise<void>((resolve) => outgoing.once("close", () => resolve()));
}

/** The name of a fault in the log: its scenario, or else what it does. */
export function faultName({ scenario, cut, torn, hang, malformed, play, status }: ActiveFault): string {
  if (scenario !== undefined) return scenario;
  const kind = Object.entries({ cut, torn, hang, malformed }).find(([, isSet]) => isSet)?.[0];
  return kind ?? play ?? String(status ?? "slow");
}

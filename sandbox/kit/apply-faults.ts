import { setTimeout as delay } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { ActiveFault, Faults } from "./faults.ts";
import type { StandInEnv } from "./serve.ts";

/** Reads from a request what rules may select on with `where`, for instance the account. */
export type LabelsOf = (c: Context<StandInEnv>) => Record<string, string> | Promise<Record<string, string>>;

/** Lets the stored faults strike; without one for the request it is answered as usual. */
export function applyFaults(faults: Faults, labelsOf: LabelsOf = () => ({})): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    if (faults.list().length === 0) return next();
    const fault = faults.take(`${c.req.method} ${c.req.path}`, await labelsOf(c));
    if (fault === undefined) return next();
    c.set("note", `fault: ${fault.scenario ?? describe(fault)}`);
    if (fault.after === "creating") await next();
    else await c.req.arrayBuffer();
    if (fault.delayMs !== undefined) await delay(fault.delayMs);
    await strike(c, fault, next);
  };
}

async function strike(c: Context<StandInEnv>, fault: ActiveFault, next: () => Promise<void>): Promise<void> {
  if (fault.hang) await clientGone(c);
  if (fault.hang || fault.cut) {
    c.env.outgoing.destroy();
    c.res = RESPONSE_ALREADY_SENT.clone();
    return;
  }
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
  if (fault.hang) return "hang";
  if (fault.malformed) return "malformed";
  return fault.status === undefined ? "slow" : String(fault.status);
}

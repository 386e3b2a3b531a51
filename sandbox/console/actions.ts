import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import { type Asked, type Line, readSettings, tell } from "./clients.ts";

/** A form of the console, already known to come from one of its pages. */
export type Fields = Record<string, string>;

/** Proves that a form was made by this process: pages of other origins cannot read it. */
export interface FormGuard {
  readonly token: string;
  /** The fields, or undefined for a form from elsewhere or from before the console was restarted. */
  read(c: Context<StandInEnv>): Promise<Fields | undefined>;
}

/** A guard with a token of its own. */
export function createFormGuard(): FormGuard {
  const token = randomBytes(24).toString("base64url");
  return {
    token,
    async read(c) {
      const origin = c.req.header("origin");
      if (origin !== undefined && URL.parse(origin)?.host !== c.req.header("host")) return undefined;
      const fields = Object.fromEntries(new URLSearchParams(await c.req.text()));
      const given = Buffer.from(fields.token ?? "");
      const isOurs = given.length === token.length && timingSafeEqual(given, Buffer.from(token));
      return isOurs ? fields : undefined;
    },
  };
}

/** Switches a prepared fault on, for so many `times` or `forever`. */
export function switchOn(line: Line, control: string, { scenario = "", times }: Fields): Promise<Asked<undefined>> {
  const body = times === "forever" ? {} : { times: Number(times) };
  return tell(line, `${control}/__control/scenarios/${encodeURIComponent(scenario)}`, "POST", body);
}

/** Switches one fault off, or `all`. */
export function switchOff(line: Line, control: string, { fault = "" }: Fields): Promise<Asked<undefined>> {
  const one = fault === "all" ? "" : `/${encodeURIComponent(fault)}`;
  return tell(line, `${control}/__control/faults${one}`, "DELETE");
}

/** Sends the settings that were in the form, each in the type that it has now. */
export async function saveSettings(line: Line, control: string, fields: Fields): Promise<Asked<undefined>> {
  const known = await readSettings(line, control);
  const given = known.filter(({ name }) => fields[name] !== undefined);
  const values = given.map(({ name, value }) => [name, typed(fields[name] ?? "", value)]);
  return tell(line, `${control}/__control/settings`, "POST", Object.fromEntries(values));
}

function typed(text: string, now: unknown): number | string | boolean | null {
  if (typeof now === "boolean") return text === "true";
  if (typeof now === "string") return text;
  return text.trim() === "" ? null : Number(text);
}

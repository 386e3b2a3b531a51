import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import { findGrant } from "./authorize.ts";
import type { Pinterest } from "./context.ts";
import { parseObject } from "./json-body.ts";

/** Faults can be aimed with `where: {account, board, title, link, pin}`; on the token call with `where: {account, grant}`. */
export async function labelsOf(pinterest: Pinterest, c: Context<StandInEnv>): Promise<Record<string, string>> {
  const { store } = pinterest;
  const form = c.req.path.endsWith("/oauth/token") ? new URLSearchParams(await c.req.text()) : undefined;
  const accountId =
    findGrant(pinterest, c.req.header("authorization"))?.accountId ??
    store.state.codes.get(form?.get("code") ?? "")?.accountId ??
    store.state.byRefreshToken.get(form?.get("refresh_token") ?? "")?.accountId;
  const account = accountId === undefined ? undefined : store.state.accounts.get(accountId)?.username;
  return {
    ...texts({ account, grant: form?.get("grant_type") }),
    ...(form === undefined ? await bodyLabels(c) : {}),
  };
}

/** The consent form can be aimed at with `where: {account, decision}`. */
export async function decisionLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const form = new URLSearchParams(await c.req.text());
  return texts({ account: form.get("username"), decision: form.get("decision") });
}

/** Which pins a call reads, all of them where it reads many: `*` on both sides finds one of them. */
function pinsOf(c: Context<StandInEnv>): string | undefined {
  return c.req.query("pin_ids") ?? /^\/v5\/pins\/(\d+)/.exec(c.req.path)?.[1];
}

async function bodyLabels(c: Context<StandInEnv>): Promise<Record<string, string>> {
  const fromPath = /^\/v5\/boards\/(\d+)/.exec(c.req.path)?.[1];
  if (c.req.method !== "POST" && c.req.method !== "PATCH") return texts({ board: fromPath, pin: pinsOf(c) });
  const body = parseObject(await c.req.text());
  return texts({ board: body.board_id ?? fromPath, title: body.title ?? body.name, link: body.link });
}

function texts(found: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(found);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

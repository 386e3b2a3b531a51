import { createCanvas } from "@napi-rs/canvas";
import { expect } from "vitest";
import { createSpec } from "#sandbox/kit/spec.ts";
import { SANDBOX_CLIENT, startPinterest } from "#sandbox/pinterest/server.ts";
import { freshFolders } from "#tests/support/fresh-folders.ts";

export const SCOPES = "boards:read,boards:write,pins:read,pins:write,user_accounts:read";
export const REDIRECT = "http://127.0.0.1:3000/api/users/pinterest/callback/";
const BASIC = `Basic ${Buffer.from(`${SANDBOX_CLIENT.id}:${SANDBOX_CLIENT.secret}`).toString("base64")}`;
export const spec = createSpec("pinterest-v5");

export const freshFolder = freshFolders("sandbox-pinterest");
export const start = (dataDir: string, more = {}) => startPinterest({ port: 0, host: "127.0.0.1", dataDir, ...more });
export const jpeg = (width = 600, height = 900) =>
  createCanvas(width, height).toBuffer("image/jpeg").toString("base64");

export type Json = Record<string, unknown>;

/** Fields of the responses that tests read. */
export interface Body extends Json {
  access_token: string;
  refresh_token: string;
  refresh_token_expires_at: number;
  id: string;
  name: string;
  username: string;
  title: string;
  created_at: string;
  media: { images: Record<string, { url: string } | undefined> };
  boards: { id: string; privacy: string }[];
  pins: Json[];
  items: Json[];
  bookmark: string | null;
  code: number;
  message: string;
  scope: string;
  status: string;
  all: Report;
  requests: { labels?: Record<string, string>; created?: string; status: number }[];
}

interface Report {
  summary_metrics: Record<string, number>;
  lifetime_metrics: Record<string, number>;
  daily_metrics: { date: string; data_status: string; metrics: Record<string, number> }[];
}

export interface Answer {
  status: number;
  body: Body;
  headers: Headers;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || "{}"), headers: response.headers };
}

export async function decide(url: string, fields: Record<string, string>): Promise<URL> {
  const body = new URLSearchParams({
    client_id: SANDBOX_CLIENT.id,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: "s-1",
    decision: "approve",
    ...fields,
  });
  const answer = await fetch(`${url}/oauth/decision`, { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get("location") ?? "");
}

export async function token(url: string, form: Record<string, string>, basic = BASIC): Promise<Answer> {
  const body = new URLSearchParams(form);
  return read(await fetch(`${url}/v5/oauth/token`, { method: "POST", body, headers: { authorization: basic } }));
}

/** Completes consent and exchange; returns the access and refresh token. */
export async function connect(
  url: string,
  username: string,
  scope = SCOPES,
): Promise<{ access: string; refresh: string }> {
  const code = (await decide(url, { username, scope })).searchParams.get("code") ?? "";
  const { body } = await token(url, { grant_type: "authorization_code", code, redirect_uri: REDIRECT });
  return { access: body.access_token, refresh: body.refresh_token };
}

export const get = async (url: string, path: string, access: string) =>
  read(await fetch(`${url}/v5${path}`, { headers: { authorization: `Bearer ${access}` } }));

export const send = async (url: string, method: string, path: string, access: string, body?: Json) => {
  const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
  return read(await fetch(`${url}/v5${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
};

export const control = async (url: string, method: string, path: string, body?: Json) =>
  read(await fetch(`${url}/__control${path}`, { method, ...(body && { body: JSON.stringify(body) }) }));

/** A connected account with three boards. */
export async function ownAccount(url: string, boards = 3, scope = SCOPES) {
  const username = `t.${crypto.randomUUID().slice(0, 8)}`;
  const { body } = await control(url, "POST", "/accounts", { username, boards });
  return {
    username,
    boards: body.boards as { id: string; privacy: string }[],
    ...(await connect(url, username, scope)),
  };
}

export function pinBody(boardId: string | undefined, more: Json = {}): Json {
  return {
    board_id: boardId,
    title: "Wreaths for every month",
    description: "Twelve of them.",
    link: "https://juniper.example/wreaths",
    alt_text: "A wreath",
    media_source: { source_type: "image_base64", content_type: "image/jpeg", data: jpeg() },
    ...more,
  };
}

export async function createPin(url: string, access: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${access}`, "content-type": "application/json" };
  return read(await fetch(`${url}/v5/pins`, { method: "POST", body: JSON.stringify(body), headers }));
}

export function source(data: string): Json {
  return { source_type: "image_base64", content_type: "image/jpeg", data };
}

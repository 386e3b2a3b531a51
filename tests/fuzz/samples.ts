import type { Random } from "#tests/support/random.ts";
import type { Sample } from "#tests/support/surface-samples.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { pick } from "./values.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const toolsOf = ({ accountId, boardId, draftIds, publishedId, groupId }: SurfaceUser): [string, object][] => [
  ["list_accounts", {}],
  ["list_boards", { account_id: accountId }],
  ["search_pins", { account_id: accountId, status: "draft", search: "moss", sort: "title", limit: 3 }],
  ["get_pin", { pin_id: publishedId }],
  ["get_results", { account_id: accountId, start_date: dayBefore(9), end_date: dayBefore(3), by: "board" }],
  ["get_keyword_trends", { account_id: accountId, region: "US", trend_type: "growing" }],
  ["get_costs", {}],
  [
    "draft_pins",
    {
      ...{ account_id: accountId, board_id: boardId, quality: "standard", keywords: [{ keyword: "moss" }] },
      ...{ max_credits: 1, request_id: "request-1" },
    },
  ],
  ["get_generation", { generation_id: groupId }],
  ["edit_draft", { pin_id: draftIds[0], title: "Moss garden", link: "https://example.com/moss" }],
  ["propose_plan", { pin_ids: draftIds, start: new Date(Date.now() + DAY_MS).toISOString(), interval_minutes: 60 }],
];

const messageOf = (random: Random, user: SurfaceUser): Sample => {
  const [name, args] = pick(random, toolsOf(user));
  const call = { method: "tools/call", params: { name, arguments: args } };
  const info = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  const others = [{ method: "tools/list" }, { method: "initialize", params: info }, { method: "ping" }];
  return { body: { jsonrpc: "2.0", id: 1, ...pick(random, [call, call, call, ...others]) } };
};

const CLIENT = { client_id: `ocl_${"0".repeat(26)}` };

const tokenForm = (random: Random): Record<string, string> =>
  pick(random, [
    { ...CLIENT, grant_type: "refresh_token", refresh_token: "a.b.c", scope: "pins:read" },
    {
      ...{ ...CLIENT, grant_type: "authorization_code", code: "c".repeat(43), code_verifier: "v".repeat(43) },
      redirect_uri: "https://app.example/callback",
    },
  ]);

interface FuzzSample {
  sample: Sample;
  /** Sent as a form of a page. */
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Of calls that take more than one kind of request; undefined for the others. */
export const variedSample = (random: Random, label: string, user: SurfaceUser): FuzzSample | undefined => {
  if (label === "POST /api/mcp") {
    const headers = { accept: "application/json, text/event-stream" };
    return { sample: messageOf(random, user), headers };
  }
  if (label === "POST /api/oauth/token") return { sample: {}, fields: tokenForm(random) };
  if (label !== "POST /api/oauth/revoke") return undefined;
  return { sample: {}, fields: { ...CLIENT, token: user.apiKey, token_type_hint: "refresh_token" } };
};

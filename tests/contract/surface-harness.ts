import { randomBytes } from "node:crypto";
import { beforeAll, inject } from "vitest";
import { ID_PREFIX } from "#lib/core/ids.ts";
import { MULTIPART_TYPE, multipartOf } from "#tests/fuzz/multipart.ts";
import type { AppResponse } from "#tests/support/app-client.ts";
import { pathOf } from "#tests/support/surface.ts";
import type { Sample } from "#tests/support/surface-samples.ts";
import { type SurfaceUser, surfaceUsersOf } from "#tests/support/surface-users.ts";

/** An owner, another user, and a function for further users of the shared app. */
export const surfaceUsersForFile = () => {
  let users: { owner: SurfaceUser; stranger: SurfaceUser; insert: () => Promise<SurfaceUser> } | undefined;
  beforeAll(async () => {
    const { insert, close } = surfaceUsersOf(inject("app"));
    users = { owner: await insert(), stranger: await insert(), insert };
    return close;
  }, 60_000);
  return () => {
    if (!users) throw new Error("The users exist from beforeAll on.");
    return users;
  };
};

const ID_NAMES = [
  "accountId",
  "scheduledId",
  "publishedId",
  "failedId",
  "groupId",
  "videoId",
  "paymentId",
  "loginId",
  "passkeyId",
  "keyId",
  "webhookId",
  "deliveryId",
  "listId",
  "keywordId",
];

/** The user with other ids: those of `ids`, except for the board, which is Pinterest's. */
const withIds = (user: SurfaceUser, idOf: (name: string) => string): SurfaceUser => ({
  ...user,
  ...Object.fromEntries(ID_NAMES.map((name) => [name, idOf(name)])),
  draftIds: [0, 1, 2].map((at) => idOf(`draft${at}`)),
  imageKey: `pins/${randomBytes(8).toString("hex")}/1.jpg`,
  videoKey: `videos/${randomBytes(20).toString("hex")}.mp4`,
});

const PREFIXES: Record<string, string> = {
  accountId: "acc",
  groupId: "grp",
  videoId: "vid",
  loginId: "lgn",
  passkeyId: "psk",
  keyId: "key",
  webhookId: "whe",
  deliveryId: "whd",
  listId: ID_PREFIX.keywordList,
  keywordId: ID_PREFIX.savedKeyword,
};

/** The user with ids that have the right shape and do not exist. */
export const withUnknownIds = (user: SurfaceUser): SurfaceUser =>
  // Three drafts need three different ids.
  withIds(user, (name) => `${PREFIXES[name] ?? "pin"}_${(/\d/.exec(name)?.[0] ?? "0").repeat(26)}`);

/** The user with ids that no service of ours ever issued. */
export const withMalformedIds = (user: SurfaceUser): SurfaceUser => withIds(user, (name) => `no' id ${name}`);

/** Sends the sample of a call. Live events never end, so only their status is read. */
export const sendSample = async (
  { method, pattern }: { method: string; pattern: string },
  { params, query, body, form }: Sample,
  headers: Record<string, string>,
): Promise<AppResponse> => {
  const encode = (text: string) => text.split("/").map(encodeURIComponent).join("/");
  const path = `${pathOf(pattern, (name) => encode(params?.[name] ?? "x"))}?${new URLSearchParams(query)}`;
  const sent = form ? new Uint8Array(multipartOf(Object.entries(form))) : body && JSON.stringify(body);
  const response = await fetch(`${inject("app").baseUrl}${path}`, {
    method,
    redirect: "manual",
    headers: { ...(sent !== undefined && { "content-type": form ? MULTIPART_TYPE : "application/json" }), ...headers },
    ...(sent !== undefined && { body: sent }),
  });
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) await response.body?.cancel();
  const text = type.startsWith("text/event-stream") ? "" : await response.text();
  const json: unknown = type.startsWith("application/json") ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, json };
};

/** A response without what differs each time. */
export const comparable = ({ status, text }: AppResponse): [number, string] => [status, text.replace(/req_\w+/g, "")];

/** A token that is signed correctly for a login that has ended, one that was cut, and none. */
export const wrongTokens = (ended: SurfaceUser): Record<string, string>[] => [
  {},
  { authorization: `Bearer ${ended.token}` },
  { authorization: `Bearer ${ended.token.slice(0, -6)}` },
  { authorization: "Bearer" },
];

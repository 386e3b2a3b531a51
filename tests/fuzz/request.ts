import { ID_PREFIX } from "#lib/core/ids.ts";
import type { Random } from "#tests/support/random.ts";
import { pathOf } from "#tests/support/surface.ts";
import type { Sample } from "#tests/support/surface-samples.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { brokenMultipart, changedParts, MULTIPART_TYPE, multipartOf } from "./multipart.ts";
import { brokenJson, chance, changedObject, hostileText, hostileValue, pick } from "./values.ts";

export type Headers = Record<string, string>;

/** A request as it is sent. */
export interface FuzzRequest {
  index: number;
  /** The row of the report: method and path of a call, a page, or an action's name. */
  label: string;
  /** Whose credentials it carries. */
  who: "caller" | "other" | "none";
  method: string;
  path: string;
  headers: Headers;
  body: Buffer | null;
}

/** The users of some hundred requests. */
export interface FuzzUsers {
  caller: SurfaceUser;
  other: SurfaceUser;
  /** For calls that end a login or remove what others need. */
  expendable: SurfaceUser[];
}

const CSRF = "a-value-from-the-cookie";

/** Printable ASCII and Latin-1, which Node's client accepts in headers. */
const headerText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").slice(0, 6_000);

const cookieOf = (user: SurfaceUser): string => `next-auth.session-token=${user.cookie}; csrftoken=${CSRF}`;

const browserHeaders = (user: SurfaceUser, origin: string): Headers => ({
  cookie: cookieOf(user),
  "x-csrftoken": CSRF,
  origin,
});

type Credentials = { who: FuzzRequest["who"]; headers: Headers };

/** Mostly valid ones; `isCookie` for pages and actions, which accept no bearer token. */
export const credentialsOf = (
  random: Random,
  users: { caller: SurfaceUser; other: SurfaceUser },
  { origin, isCookie, isKey = false }: { origin: string; isCookie: boolean; isKey?: boolean },
): Credentials => {
  const { caller, other } = users;
  const bearer = { authorization: `Bearer ${isKey ? caller.apiKey : caller.token}` };
  const kind = random.below(100);
  // Cookies open nothing where a key is needed.
  if (kind < (isKey ? 78 : 60)) return { who: "caller", headers: isCookie ? browserHeaders(caller, origin) : bearer };
  if (kind < 72) return { who: "caller", headers: browserHeaders(caller, origin) };
  if (kind < 76) return { who: "caller", headers: { ...browserHeaders(caller, origin), "x-csrftoken": "wrong" } };
  if (kind < 79) return { who: "caller", headers: { cookie: cookieOf(caller), origin: "https://evil.example" } };
  if (kind < 82) return { who: "other", headers: { ...bearer, cookie: cookieOf(other) } };
  if (kind < 90) return { who: "none", headers: pick(random, brokenCredentials(caller)) };
  return { who: "none", headers: chance(random, 50) ? { origin } : {} };
};

const brokenCredentials = ({ token, cookie }: SurfaceUser): Headers[] => [
  { authorization: `Bearer ${token.slice(0, -9)}` },
  { authorization: `Bearer ${"e".repeat(5_000)}` },
  { authorization: "Basic YTpi" },
  { authorization: "Bearer" },
  { cookie: `next-auth.session-token=${token}` },
  { authorization: `Bearer ${cookie}` },
  { cookie: "next-auth.session-token=; next-auth.session-token=x" },
  { cookie: `next-auth.session-token=%E0%A4%A${"; a=b".repeat(100)}` },
];

const ODD_HEADERS: Headers[] = [
  { "x-forwarded-for": "1.2.3.4, not an address, ::ffff:9.9.9.9" },
  { "x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher" },
  { "x-forwarded-host": "a b\t[", forwarded: "for=_x;host=y" },
  { accept: "application/xml;q=nine", "accept-language": "*;q=;,-" },
  { "accept-encoding": "br;q=0, zstd, \u00ff" },
  { "if-none-match": `"${"x".repeat(3_000)}"`, "if-modified-since": "yesterday" },
  { range: "bytes=-1-5,9-" },
  { "content-encoding": "gzip" },
  { "transfer-encoding": "chunked" },
  { rsc: "1" },
  { rsc: "1", "next-router-state-tree": "%7B%22a%22" },
  { rsc: "1", "next-router-state-tree": "%5B%22%22%2C%7B%7D%5D", "next-router-prefetch": "1" },
  { "next-router-state-tree": "[" },
  { rsc: "1", "next-router-segment-prefetch": "/_tree", "next-router-prefetch": "1" },
  { "next-router-segment-prefetch": "/../x", "next-url": "\u00ff://" },
  { "next-action": "x" },
  { "next-action": "7f".repeat(21) },
  { "x-middleware-subrequest": "proxy:proxy:proxy" },
  { "x-middleware-rewrite": "/app", "x-nextjs-data": "1" },
  { "x-action-forwarded": "1", "x-invoke-path": "/app", "x-invoke-status": "500" },
  { "x-matched-path": "/app", "x-now-route-matches": "1=2" },
  { "last-event-id": "9".repeat(15) },
  { "last-event-id": "-1" },
  { "idempotency-key": "\u00e9 x" },
  { "idempotency-key": "k".repeat(101) },
  { "x-path": "/app?x=1", "x-request-id": "req_\u00ff" },
  { "x-inngest-signature": "t=1&s=x" },
  { "paddle-signature": `ts=${"9".repeat(30)};h1=${"a".repeat(64)}` },
  { referer: "not a url?next=//evil.example", "user-agent": "\u00ff".repeat(600) },
  { cookie: `${"c=d; ".repeat(300)}tz=Mars/Olympus` },
  { origin: "null" },
  { origin: "http://[" },
  { "sec-fetch-dest": "empty", "sec-fetch-site": "cross-site", "sec-fetch-mode": "x" },
  { expect: "200-maybe" },
  { upgrade: "h2c", connection: "Upgrade" },
];

/** Valid, and so few that other requests of the same user have the same one. */
export const repeatedKey = (random: Random): Headers =>
  chance(random, 15) ? { "idempotency-key": `write-${random.below(3)}` } : {};

/** Some requests have headers that browsers do not send. */
export const oddHeaders = (random: Random): Headers => {
  if (!chance(random, 25)) return {};
  if (chance(random, 85)) return pick(random, ODD_HEADERS);
  return { [`x-${random.below(99)}`]: headerText(hostileText(random)) };
};

const ID_SHAPES = (text: string): string[] => [
  ...[text, `acc_${text}`, `whe_${text}`, "0", "1", "-", "null"],
  ...Object.values(ID_PREFIX).map((prefix) => `${prefix}_${"0".repeat(26)}`),
];

const ID_NAMES = [
  ...(["accountId", "boardId", "scheduledId", "publishedId", "failedId", "groupId", "videoId", "paymentId"] as const),
  ...(["loginId", "passkeyId", "keyId", "imageKey", "importId", "listId", "keywordId"] as const),
  ...(["watchId", "proposalId", "webhookId", "deliveryId"] as const),
];

/** The same sample as of a user whose ids have other shapes or do not exist. */
export const userForIds = (random: Random, users: { caller: SurfaceUser; other: SurfaceUser }): SurfaceUser => {
  const kind = random.below(100);
  if (kind < 65) return users.caller;
  if (kind < 80) return users.other;
  const id = () => pick(random, ID_SHAPES(hostileText(random)));
  const ids = Object.fromEntries(ID_NAMES.map((name) => [name, id()]));
  return { ...users.caller, ...ids, draftIds: [id(), id(), id()] };
};

const wellEncoded = (text: string): string => text.toWellFormed().split("/").map(encodeURIComponent).join("/");

const PERCENT_ERRORS = [
  "%",
  "%E0%A4%A",
  "%zz",
  "%00",
  "%2e%2e%2f",
  "%252e",
  "%c0%ae",
  "%0d%0aset-cookie:a=b",
  "\u00ff",
];

const segmentOf = (random: Random, good: string): string => {
  const kind = random.below(100);
  if (kind < 80) return wellEncoded(good).slice(0, 3_000);
  if (kind < 90) return encodeURIComponent(hostileText(random).toWellFormed()).slice(0, 3_000);
  return `${kind < 95 ? wellEncoded(good).slice(0, 99) : ""}${pick(random, PERCENT_ERRORS)}`;
};

const queryOf = (random: Random, good: Record<string, string>): string => {
  const pairs = Object.entries(good).map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
  const kind = random.below(10);
  if (kind < 4) return pairs.join("&");
  const hostile = () => encodeURIComponent(hostileText(random).toWellFormed()).slice(0, 3_000);
  const name = pick(random, [...Object.keys(good), "limit", "cursor", "account", "__proto__", "status", hostile()]);
  if (kind < 7) return [...pairs.filter((pair) => !pair.startsWith(`${name}=`)), `${name}=${hostile()}`].join("&");
  if (kind === 7) return [...pairs, ...pairs, `${name}=1`, `${name}[]=2`].join("&");
  if (kind === 8) return [...pairs, `${name}=${pick(random, PERCENT_ERRORS)}`, "&&=&", "a".repeat(500)].join("&");
  return pairs.slice(1).join("&");
};

/** A path of the pattern, with its parameters and its query sometimes damaged. */
export const fuzzPath = (random: Random, pattern: string, sample: Sample): string => {
  const path = pathOf(pattern, (name) => segmentOf(random, sample.params?.[name] ?? hostileText(random)));
  const query = sample.query || chance(random, 15) ? `?${queryOf(random, sample.query ?? {})}` : "";
  const slash = chance(random, 50) && !path.endsWith("/") ? "/" : "";
  // Node's client refuses other characters.
  return `${path}${slash}${query}`.replace(/[^\x21-\xff]/g, "");
};

const CONTENT_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "multipart/form-data",
  `multipart/form-data; boundary=${"b".repeat(300)}`,
  MULTIPART_TYPE,
  "application/octet-stream",
  "/",
  "",
];

type Body = { body: Buffer | null; headers: Headers };

const jsonBody = (random: Random, good: Record<string, unknown>): Body => {
  const type = { "content-type": chance(random, 85) ? "application/json" : pick(random, CONTENT_TYPES) };
  const kind = random.below(100);
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  if (kind < 25) return { body: text(good), headers: type };
  if (kind < 70) return { body: text(changedObject(random, good)), headers: type };
  if (kind < 82) return { body: text(hostileValue(random)), headers: type };
  if (kind < 99) return { body: brokenJson(random, JSON.stringify(good)), headers: type };
  return { body: Buffer.alloc(1_200_000, "x"), headers: type };
};

/** A multipart body, sometimes with other parts or a broken syntax. */
export const formBody = (random: Random, form: NonNullable<Sample["form"]>): Body => {
  const good = multipartOf(Object.entries(form));
  const kind = random.below(100);
  const headers = { "content-type": chance(random, 90) ? MULTIPART_TYPE : pick(random, CONTENT_TYPES) };
  if (kind < 25) return { body: good, headers };
  if (kind < 75) return { body: multipartOf(changedParts(random, form)), headers };
  return { body: brokenMultipart(random, good), headers };
};

/** The body of a form without files, sometimes with other fields or none. */
export const fieldsBody = (random: Random, fields: Record<string, string>): Body => {
  const type = "application/x-www-form-urlencoded";
  const kind = random.below(100);
  const names = Object.keys(fields);
  const changed = { ...fields, [chance(random, 80) ? pick(random, names) : hostileText(random)]: hostileText(random) };
  const entries = Object.entries(kind < 30 ? fields : changed);
  const twice = kind < 90 ? entries : [...entries, ...entries];
  const body = new URLSearchParams(twice.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]));
  if (kind >= 95) return { body: Buffer.from(pick(random, PERCENT_ERRORS)), headers: { "content-type": type } };
  const sent = chance(random, 90) ? type : pick(random, CONTENT_TYPES);
  return { body: Buffer.from(body.toString()), headers: { "content-type": sent } };
};

/** The body of a call. */
export const fuzzBody = (random: Random, method: string, sample: Sample): Body => {
  const hasBody = sample.body !== undefined || sample.form !== undefined;
  const percent = ["GET", "HEAD", "DELETE"].includes(method) ? 4 : 40;
  if (!hasBody && !chance(random, percent)) return { body: null, headers: {} };
  if (sample.form && chance(random, 85)) return formBody(random, sample.form);
  return jsonBody(random, sample.body ?? {});
};

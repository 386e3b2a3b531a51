import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Faults } from "../kit/faults.ts";
import type { RequestLog } from "../kit/journal.ts";
import type { Clock, StandInEnv } from "../kit/serve.ts";
import type { Spec } from "../kit/spec.ts";
import { errorBody, invalidField, invalidFields, REFUSALS, type Refusal, RefusedError } from "./refusals.ts";
import type { PaddleSettings } from "./settings.ts";
import type { PaddleStore } from "./state.ts";

/** Where events go, and with what they are signed. */
export interface WebhookTarget {
  url: string;
  secret: string;
  /** The secret before the last rotation, for signatures that still carry it. */
  previousSecret: string;
}

/** What every route and every verb of the stand-in works with. */
export interface Paddle {
  store: PaddleStore;
  clock: Clock;
  spec: Spec;
  faults: Faults;
  /** Calls that came in, and webhooks that went out. */
  log: RequestLog;
  readonly settings: PaddleSettings;
  apiKey: string;
  clientToken: string;
  webhook: WebhookTarget;
  /** Page that opens the checkout of a transaction, without its query. */
  checkoutUrl: string | undefined;
  /** Origin in links; by default the one a request came to. */
  publicUrl: string | undefined;
  /** Reads left until a paid transaction is completed. */
  paidReads: Map<string, number>;
  /** Told after each change: new notifications may wait, and dates may have moved. */
  onChange(): void;
}

/** The origin to write into answers, without a trailing slash. */
export function originOf(paddle: Paddle, c: Context<StandInEnv>): string {
  return (paddle.publicUrl ?? new URL(c.req.url).origin).replace(/\/$/, "");
}

/** A checked request. */
interface Asked<B> {
  path: Record<string, string>;
  query: Record<string, string>;
  body: B;
}

/**
 * Checks key, path, query and body against the description of `path`.
 * @throws RefusedError 403 without the key, 400 with all that does not fit.
 */
export async function readRequest<B = undefined>(
  paddle: Paddle,
  c: Context<StandInEnv>,
  path: string,
): Promise<Asked<B>> {
  assertKey(paddle, c.req.header("authorization"));
  const query = c.req.query();
  const method = c.req.method;
  const body = method === "GET" || method === "DELETE" ? undefined : await readBody(c);
  const parts = pathParts(path, c.req.path);
  const result = paddle.spec.check(method, path, { path: parts, query: plainQuery(query), body });
  if (!result.ok) throw invalidFields(result.errors);
  return { path: parts, query, body: checkedBody<B>(body) };
}

/** `{data, meta}`. */
export function answer(c: Context<StandInEnv>, data: unknown, status: 200 | 201 | 202 = 200): Response {
  return c.json({ data, meta: { request_id: randomUUID() } }, status);
}

/** How many entities a page holds when the call does not say, and at most. */
interface PageSize {
  usual: number;
  most: number;
}

const PAGE: PageSize = { usual: 50, most: 200 };

/**
 * A page of entities that come in the order in which they were made, newest first unless told.
 * @throws RefusedError 400 for an `after` that is none of ours.
 */
export function answerPage<T>(
  paddle: Paddle,
  c: Context<StandInEnv>,
  oldestFirst: T[],
  present: (entity: T) => { id: string } | { event_id: string },
  size: PageSize = PAGE,
  usualOrder: "ASC" | "DESC" = "DESC",
): Response {
  const query = c.req.query();
  const order = /\[(ASC|DESC)\]$/.exec(query.order_by ?? "")?.[1] ?? usualOrder;
  const all = (order === "ASC" ? oldestFirst : oldestFirst.toReversed()).map(present);
  const perPage = Math.min(Math.max(1, Number(query.per_page ?? size.usual)), size.most);
  const start = query.after === undefined ? 0 : all.findIndex((one) => idOf(one) === query.after) + 1;
  if (query.after !== undefined && start === 0) throw invalidField("after", "is not the id of a listed entity");
  const data = all.slice(start, start + perPage);
  const last = data.at(-1);
  const next = new URL(`${originOf(paddle, c)}${c.req.path}`);
  const after = last === undefined ? (query.after ?? "") : idOf(last);
  next.search = new URLSearchParams({ ...query, after }).toString();
  const has_more = start + perPage < all.length;
  const pagination = { per_page: perPage, next: next.href, has_more, estimated_total: all.length };
  return c.json({ data, meta: { request_id: randomUUID(), pagination } });
}

/** Keeps the entities of which each named field is one of the values in the query, joined by commas. */
export function filterBy<T extends object>(
  entities: Iterable<T>,
  query: Record<string, string>,
  fields: string[],
): T[] {
  const wanted = fields.flatMap((field) =>
    query[field] === undefined ? [] : [[field, query[field].split(",")] as const],
  );
  const inTime = ["created_at", "updated_at", "billed_at"].flatMap((field) => ranges(query, field));
  return [...entities].filter(
    (entity) =>
      wanted.every(([field, values]) => values.includes(String(Reflect.get(entity, field)))) &&
      inTime.every(([field, fits]) => fits(Date.parse(String(Reflect.get(entity, field))))),
  );
}

/** Hono's error door: refusals in Paddle's words, anything else a 500. */
export function answerError(error: Error, c: Context<StandInEnv>): Response {
  if (error instanceof RefusedError) return answerRefusal(c, error.refusal);
  console.error("Paddle stand-in:", error);
  return answerRefusal(c, REFUSALS.internalError);
}

/** An error answer. */
export function answerRefusal(c: Context<StandInEnv>, refusal: Refusal): Response {
  return c.json(errorBody(refusal, randomUUID()), refusal.status);
}

function assertKey({ apiKey }: Paddle, header: string | undefined): void {
  if (header === undefined) throw new RefusedError(REFUSALS.authenticationMissing);
  const given = /^bearer (\S+)$/i.exec(header)?.[1];
  if (given === undefined) throw new RefusedError(REFUSALS.authenticationMalformed);
  if (given !== apiKey) throw new RefusedError(REFUSALS.invalidToken);
}

/** A call without a body is checked as an empty object. */
async function readBody(c: Context<StandInEnv>): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new RefusedError(REFUSALS.notJson);
    throw cause;
  }
}

/** `/customers/{customer_id}` and `/customers/ctm_1` give `{customer_id: "ctm_1"}`. */
function pathParts(path: string, requested: string): Record<string, string> {
  const given = requested.split("/");
  const marked = path.split("/").map((part, index): [string, string] => [part, decodeURIComponent(given[index] ?? "")]);
  return Object.fromEntries(
    marked.filter(([part]) => part.startsWith("{")).map(([part, value]) => [part.slice(1, -1), value]),
  );
}

/** `created_at[GTE]=…` is described as `created_at`. */
function plainQuery(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name.replace(/\[(LTE?|GTE?)\]$/, ""), value]),
  );
}

const COMPARE: Record<string, (value: number, bound: number) => boolean> = {
  "": (value, bound) => value === bound,
  "[LT]": (value, bound) => value < bound,
  "[LTE]": (value, bound) => value <= bound,
  "[GT]": (value, bound) => value > bound,
  "[GTE]": (value, bound) => value >= bound,
};

function ranges(query: Record<string, string>, field: string): [string, (value: number) => boolean][] {
  return Object.entries(COMPARE).flatMap(([mark, compare]): [string, (value: number) => boolean][] => {
    const bound = query[`${field}${mark}`];
    return bound === undefined ? [] : [[field, (value) => compare(value, Date.parse(bound))]];
  });
}

function idOf(entity: { id: string } | { event_id: string }): string {
  return "id" in entity ? entity.id : entity.event_id;
}

/** The description has just been checked. */
function checkedBody<B>(body: unknown): B {
  return body as B;
}

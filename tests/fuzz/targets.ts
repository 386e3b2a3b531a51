import { createRandom, type Random } from "#tests/support/random.ts";
import { pathOf, type Surface, type SurfaceAction } from "#tests/support/surface.ts";
import { ACTION_SPECS, type ActionSpec } from "#tests/support/surface-actions.ts";
import { CALL_SPECS, type CallSpec } from "#tests/support/surface-samples.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { actionBody } from "./action-body.ts";
import { withOptional } from "./optional.ts";
import {
  credentialsOf,
  type FuzzRequest,
  type FuzzUsers,
  fieldsBody,
  formBody,
  fuzzBody,
  fuzzPath,
  oddHeaders,
  repeatedKey,
  userForIds,
} from "./request.ts";
import { variedSample } from "./samples.ts";
import { chance, hostileText, pick } from "./values.ts";

type Draft = Omit<FuzzRequest, "index" | "label">;

interface Draw {
  random: Random;
  users: FuzzUsers;
  origin: string;
}

/** Something that answers requests. */
export interface Target {
  label: string;
  draw: (from: Draw) => Draft;
}

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "PURGE", "QUERY"];

const UNKNOWN_CALL: CallSpec = { access: "public", sample: () => ({ query: {}, body: {} }) };
const UNKNOWN_ACTION: ActionSpec = { access: "user", argument: () => ({}) };

/** The users of a request; one that ends logins or removes things gets users of its own. */
const pairOf = ({ random, users }: Draw, isDestructive = false): { caller: SurfaceUser; other: SurfaceUser } => ({
  caller: isDestructive ? pick(random, users.expendable) : users.caller,
  other: users.other,
});

const callTarget = (method: string, pattern: string): Target => {
  const label = `${method} ${pattern}`;
  const { sample: sampleOf, isDestructive, access } = CALL_SPECS[label] ?? UNKNOWN_CALL;
  return {
    label,
    draw: (from) => {
      const { random, origin } = from;
      const pair = pairOf(from, isDestructive);
      const sent = chance(random, 94) ? method : pick(random, METHODS);
      const user = userForIds(random, pair);
      const varied = variedSample(random, label, user);
      const sample = withOptional(random, method, pattern, varied?.sample ?? sampleOf(user));
      const { who, headers } = credentialsOf(random, pair, { origin, isCookie: false, isKey: access === "apiKey" });
      const body = varied?.fields ? fieldsBody(random, varied.fields) : fuzzBody(random, sent, sample);
      return {
        ...{ who, method: sent, path: fuzzPath(random, pattern, sample), body: body.body },
        headers: { ...varied?.headers, ...headers, ...body.headers, ...repeatedKey(random), ...oddHeaders(random) },
      };
    },
  };
};

const PAGE_QUERY = { account: "x", status: "draft", q: "moss", sort: "title", page: "1", next: "//evil.example" };

const pageTarget = (pattern: string, creatorPath: string): Target => ({
  label: `PAGE ${pattern}`,
  draw: (from) => {
    const { random, users, origin } = from;
    const of = userForIds(random, users);
    const token = chance(random, 50) ? "t".repeat(43) : hostileText(random);
    const params = { token, slug: "pinterest-pin-sizes", creator: creatorPath.split("/").at(-1) ?? "" };
    const sample = { params, query: { ...PAGE_QUERY, account: of.accountId } };
    const { who, headers } = credentialsOf(random, users, { origin, isCookie: true });
    const method = chance(random, 85) ? "GET" : pick(random, METHODS);
    const body = method === "POST" ? formBody(random, { x: "y" }) : { body: null, headers: {} };
    return {
      ...{ who, method, path: fuzzPath(random, pattern, sample), body: body.body },
      headers: { ...headers, ...body.headers, ...oddHeaders(random) },
    };
  },
});

const actionTarget = (action: SurfaceAction): Target => {
  const { argument, access, isDestructive, page } = ACTION_SPECS[action.name] ?? UNKNOWN_ACTION;
  return {
    label: `ACTION ${action.name}`,
    draw: (from) => {
      const { random, origin } = from;
      const pair = pairOf(from, isDestructive);
      const { who, headers } = credentialsOf(random, pair, { origin, isCookie: true });
      const sent = actionBody(random, {
        action,
        argument: argument(userForIds(random, pair)),
        isForm: access === "form",
      });
      const own = page ?? pathOf(action.page, () => "x");
      const path = chance(random, 90)
        ? own
        : pick(random, ["/", "/app", "/app/analytics", "/login", "/nothing", "/api/x"]);
      return {
        ...{ who, method: "POST", path, body: sent.body },
        headers: { origin, ...headers, ...oddHeaders(random), ...sent.headers },
      };
    },
  };
};

/** Everything that can be called: each method of each route handler, each page, and each server action. */
export const targetsOf = ({ calls, pages, actions }: Surface, creatorPath: string): Target[] => [
  ...calls.flatMap(({ pattern, methods }) => methods.map((method) => callTarget(method, pattern))),
  ...pages.map((pattern) => pageTarget(pattern, creatorPath)),
  ...actions.map(actionTarget),
];

/** The generator of one request: the same for the same seed and index. */
export const randomOf = (seed: number, index: number): Random =>
  createRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));

/** The target of an index: every target is used equally often. */
export const targetAt = (targets: readonly Target[], seed: number, index: number): Target => {
  const target = targets[(index + seed) % targets.length] ?? targets[0];
  if (!target) throw new Error("There is nothing to call.");
  return target;
};

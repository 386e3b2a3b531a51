import { beforeAll, describe, expect, inject, test } from "vitest";
import { SCOPES } from "#lib/features/api-keys/constants.ts";
import { takesWriteKey } from "#lib/server/v1/operation.ts";
import { OPERATIONS } from "#lib/server/v1/operations.ts";
import type { AppResponse } from "#tests/support/app-client.ts";
import { type Fixtures, fixturesOf } from "#tests/support/fixtures/product.ts";
import { surfaceCalls } from "#tests/support/surface.ts";
import { CALL_SPECS, type CallSpec } from "#tests/support/surface-samples.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { V1_SPECS } from "#tests/support/surface-v1.ts";
import { toSpecPath, undocumented } from "#tests/support/v1-spec.ts";
import { comparable, sendSample, surfaceUsersForFile, withMalformedIds, withUnknownIds } from "./surface-harness.ts";
import { bearer } from "./wire-harness.ts";

const users = surfaceUsersForFile();
const rows = OPERATIONS.map(({ method, path, scope }): [string, { method: string; pattern: string; scope: string }] => {
  const pattern = `/api/v1${path.replaceAll("{", "[").replaceAll("}", "]")}`;
  return [`${method} ${pattern}`, { method, pattern, scope }];
});

const specOf = (name: string): CallSpec => {
  const spec = V1_SPECS[name];
  if (!spec) throw new Error(`${name} is missing in tests/support/surface-v1.ts.`);
  return spec;
};

/** Sends the sample, and expects an answer that the specification has. */
const send = async (call: { method: string; pattern: string }, from: SurfaceUser, headers: Record<string, string>) => {
  const answer = await sendSample(call, specOf(`${call.method} ${call.pattern}`).sample(from), headers);
  expect(undocumented(call.method, toSpecPath(call.pattern), answer)).toBeNull();
  return answer;
};

const codeOf = ({ text }: AppResponse): string => Object(text === "" ? {} : JSON.parse(text)).code;

let fixtures: Fixtures;
const keyOf = async (options: Parameters<Fixtures["apiKey"]>[1], user = users().owner): Promise<string> => {
  const { secret } = await fixtures.apiKey(user, options);
  return secret;
};

beforeAll(async () => {
  fixtures = fixturesOf(inject("app"));
  await fixtures.credits(users().owner, 5);
  return () => fixtures.close();
}, 60_000);

const NOW = new Date();

describe("keys", () => {
  test.each(rows)("%s is 401 without a working key", async (_, call) => {
    const { owner } = users();
    const past = new Date(NOW.getTime() - 60_000);
    const wrong: [Record<string, string>, string, RegExp][] = [
      [{}, "unauthenticated", /Send an API key/],
      [bearer(owner.token), "invalid_key", /isn't valid/],
      [bearer(`${owner.apiKey.slice(0, -1)}${owner.apiKey.endsWith("x") ? "y" : "x"}`), "invalid_key", /isn't valid/],
      [{ cookie: `next-auth.session-token=${owner.cookie}` }, "unauthenticated", /Send an API key/],
      [bearer(await keyOf({ expiresAt: past })), "invalid_key", /expired/],
      [bearer(await keyOf({ revokedAt: past })), "invalid_key", /revoked/],
    ];
    for (const [headers, code, text] of wrong) {
      const answer = await send(call, owner, headers);
      expect([answer.status, codeOf(answer)]).toEqual([401, code]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer .*oauth-protected-resource\/api\/v1"$/);
      expect(answer.text).toMatch(text);
      expect(owner.secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
    }
  });

  test.each(rows)("%s works with only its scope, and is 403 with all others", async (name, call) => {
    const { own = [200], isDestructive } = specOf(name);
    const from = isDestructive ? await users().insert() : users().owner;
    const others = SCOPES.filter((scope) => scope !== call.scope);
    const { owner } = users();
    const refused = await send(call, owner, bearer(await keyOf({ scopes: others })));
    expect([refused.status, codeOf(refused)]).toEqual([403, "scope_missing"]);
    expect(refused.text).toContain(call.scope);
    const key = await keyOf({ scopes: SCOPES.filter((scope) => scope === call.scope) }, from);
    const answer = await send(call, from, bearer(key));
    expect([own.includes(answer.status), answer.status, answer.text]).toEqual([true, answer.status, answer.text]);
    expect(users().stranger.secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
  });

  const repeatable = OPERATIONS.filter(takesWriteKey).flatMap((operation) => {
    const row = rows.find(
      ([, { method, pattern }]) => method === operation.method && toSpecPath(pattern) === operation.path,
    );
    // A refused request is checked again, since it may pass later.
    return row && specOf(row[0]).own?.every((status) => status < 400) !== false ? [row] : [];
  });

  test("all writes but one that is refused can be repeated", () => {
    expect(OPERATIONS.filter(takesWriteKey).length - repeatable.length).toBe(1);
  });

  test.each(repeatable)("%s with one Idempotency-Key is done once, and answered the same twice", async (_, call) => {
    const from = await users().insert();
    await fixtures.credits(from, 5);
    const headers = { ...bearer(from.apiKey), "idempotency-key": `repeat-${from.id}` };
    const sent = specOf(`${call.method} ${call.pattern}`).sample(from);
    const [first, second] = [await sendSample(call, sent, headers), await sendSample(call, sent, headers)];
    expect([first.status < 300, first.text]).toEqual([true, first.text]);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect([first, second].map((answer) => answer.headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(undocumented(call.method, toSpecPath(call.pattern), second)).toBeNull();
  });

  test("a key opens no documented call of the screens", async () => {
    const calls = surfaceCalls().flatMap(({ pattern, methods }) => methods.map((method) => ({ method, pattern })));
    const owned = calls.filter(({ method, pattern }) =>
      ["user", "owner"].includes(CALL_SPECS[`${method} ${pattern}`]?.access ?? ""),
    );
    expect(owned.length).toBeGreaterThan(40);
    for (const call of owned) {
      const sample = CALL_SPECS[`${call.method} ${call.pattern}`]?.sample(users().owner) ?? {};
      const { status } = await sendSample(call, sample, bearer(users().owner.apiKey));
      expect([call, status]).toEqual([call, 401]);
    }
  });
});

const owned = rows.filter(([name]) => !specOf(name).isOwnerless);

test("calls with another user's ids and without the scope change nothing", async () => {
  const { owner, stranger } = users();
  const isSafe = ([name]: (typeof rows)[number]) => name.startsWith("GET ") && !name.includes("related-keywords");
  const state = async () => {
    const answers = [];
    for (const [name, call] of rows.filter(isSafe)) {
      const { status, text } = await send(call, owner, bearer(owner.apiKey));
      // Signatures of image URLs and times of reading differ.
      answers.push([name, status, text.replaceAll(/"(?:image_url|url|as_of|read_at)":"[^"]*"/g, "")]);
    }
    return answers;
  };
  const before = await state();
  for (const [name, call] of rows.filter(([name]) => !name.startsWith("GET "))) {
    const others = await keyOf({ scopes: SCOPES.filter((scope) => scope !== call.scope) });
    await send(call, owner, bearer(others));
    if (!specOf(name).isOwnerless) await send(call, owner, bearer(stranger.apiKey));
  }
  expect(await state()).toEqual(before);
});

test.each(owned)("%s: another user's id is 404, as if it were not there", async (_, call) => {
  const { owner, stranger } = users();
  const [foreign, unknown] = [
    await send(call, owner, bearer(stranger.apiKey)),
    await send(call, withUnknownIds(owner), bearer(stranger.apiKey)),
  ];
  expect([foreign.status, codeOf(foreign)]).toEqual([404, "not_found"]);
  expect(comparable(foreign)).toEqual(comparable(unknown));
  expect(owner.secrets.filter((secret) => foreign.text.includes(secret))).toEqual([]);
  const malformed = await send(call, withMalformedIds(owner), bearer(stranger.apiKey));
  expect([[400, 404].includes(malformed.status), malformed.status]).toEqual([true, malformed.status]);
});

import { beforeAll, describe, expect, inject, test } from "vitest";
import type { AppResponse } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { parametersOf, surfaceCalls } from "#tests/support/surface.ts";
import { CALL_SPECS, type CallSpec } from "#tests/support/surface-samples.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import {
  comparable,
  sendSample,
  surfaceUsersForFile,
  withMalformedIds,
  withUnknownIds,
  wrongTokens,
} from "./surface-harness.ts";
import { bearer, errorBody } from "./wire-harness.ts";

const calls = surfaceCalls();
const users = surfaceUsersForFile();
const rows = calls.flatMap(({ pattern, methods }) =>
  methods.map((method): [string, { method: string; pattern: string }] => [`${method} ${pattern}`, { method, pattern }]),
);
const rowsOf = (...accesses: CallSpec["access"][]) =>
  rows.filter(([name]) => accesses.some((access) => access === CALL_SPECS[name]?.access));
const specOf = (name: string): CallSpec => {
  const spec = CALL_SPECS[name];
  if (!spec) throw new Error(`${name} is missing in tests/support/surface-samples.ts.`);
  return spec;
};

/** A user whose login has ended. */
let ended: SurfaceUser;
beforeAll(async () => {
  ended = await users().insert();
  const { status } = await callApp("/api/auth/logout/", { method: "POST", headers: bearer(ended.token) });
  expect(status).toBe(204);
}, 60_000);

const NOT_FOUND = errorBody("not_found", "We can't find this. It may have been deleted.");
const secretsIn = ({ text }: AppResponse, { secrets }: SurfaceUser) =>
  secrets.filter((secret) => text.includes(secret));
const tokenOf = (name: string, from: SurfaceUser) =>
  specOf(name).access === "metrics" ? bearer(inject("app").env.METRICS_TOKEN ?? "") : bearer(from.token);

test("every call is declared in tests/support/surface-samples.ts, and nothing else is", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(calls.filter(({ methods }) => methods.length === 0)).toEqual([]);
  expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(CALL_SPECS).toSorted());
});

test("a call with an id in its path belongs to someone: it is declared as such", () => {
  const withId = rows.filter(([, { pattern }]) => parametersOf(pattern).some((name) => /id$/i.test(name)));
  expect(withId.length).toBeGreaterThan(5);
  const expected = withId.map(([name]) => [name, name.includes(" /api/v1/") ? "apiKey" : "owner"]);
  expect(withId.map(([name]) => [name, specOf(name).access])).toEqual(expected);
});

describe("R-API-30 without a login, with an ended or a broken token", () => {
  test.each(rowsOf("user", "owner", "metrics", "signed"))("R-API-30 %s is 401", async (name, call) => {
    const sample = specOf(name).sample(users().owner);
    for (const headers of wrongTokens(ended)) {
      const answer = await sendSample(call, sample, headers);
      expect([headers, answer.status, answer.json]).toEqual([headers, 401, errorBody("unauthenticated")]);
      expect(secretsIn(answer, users().owner)).toEqual([]);
    }
  });

  test.each(rowsOf("signed", "metrics"))("R-API-30 %s is 401 for signed-in users as well", async (name, call) => {
    const answer = await sendSample(call, specOf(name).sample(users().owner), bearer(users().owner.token));
    expect([answer.status, answer.json]).toEqual([401, errorBody("unauthenticated")]);
  });

  test.each(rowsOf("public", "key"))("%s takes no notice of a wrong token", async (name, call) => {
    const { sample, own = [200] } = specOf(name);
    for (const headers of [{}, bearer(ended.token)]) {
      const answer = await sendSample(call, sample(users().owner), headers);
      expect([headers, own.includes(answer.status), answer.status]).toEqual([headers, true, answer.status]);
    }
  });
});

describe("R-API-31 R-ROLE-04 ids", () => {
  test.each(rowsOf("owner"))("R-API-31 %s: another user's id is 404, as if it were not there", async (name, call) => {
    const { sample } = specOf(name);
    const { owner, stranger } = users();
    const asStranger = (from: SurfaceUser) => sendSample(call, sample(from), bearer(stranger.token));
    const [foreign, unknown] = [await asStranger(owner), await asStranger(withUnknownIds(owner))];
    expect([foreign.status, foreign.json]).toEqual([404, NOT_FOUND]);
    expect(comparable(foreign)).toEqual(comparable(unknown));
    expect(secretsIn(foreign, owner)).toEqual([]);
    const malformed = await asStranger(withMalformedIds(owner));
    expect([[400, 404].includes(malformed.status), malformed.status]).toEqual([true, malformed.status]);
  });

  test.each(rowsOf("owner", "user", "metrics"))("%s works with the user's own login and ids", async (name, call) => {
    const { sample, own = [200], isDestructive } = specOf(name);
    const from = isDestructive ? await users().insert() : users().owner;
    const answer = await sendSample(call, sample(from), tokenOf(name, from));
    expect([name, own.includes(answer.status), answer.status, answer.text]).toEqual([
      name,
      true,
      answer.status,
      answer.text,
    ]);
    expect(secretsIn(answer, users().stranger)).toEqual([]);
  });

  test.each(rowsOf("key"))("%s: only the whole key opens it", async (name, call) => {
    const { sample } = specOf(name);
    const { imageKey, videoKey } = users().owner;
    const changes = [(key: string) => `${key}x`, (key: string) => key.replace(/^signed\/\d+\/[^/]+\//, "")];
    const others = changes.map((change) => {
      return { ...users().owner, imageKey: change(imageKey), videoKey: change(videoKey) };
    });
    for (const from of [withUnknownIds(users().owner), ...others]) {
      expect((await sendSample(call, sample(from), {})).status).toBe(404);
    }
  });

  test.each(rowsOf("nowhere"))("%s is 404", async (name, call) => {
    const answer = await sendSample(call, specOf(name).sample(users().owner), bearer(users().owner.token));
    expect([answer.status, answer.json]).toEqual([404, NOT_FOUND]);
  });
});

test("all other methods are 405, for everyone", async () => {
  const own = calls.filter(({ pattern, methods }) => pattern.startsWith("/api/users/") && methods.length < 5);
  expect(own.length).toBeGreaterThan(30);
  for (const { pattern, methods } of own) {
    const other = ["DELETE", "GET", "PATCH", "POST", "PUT"].filter((method) => !methods.includes(method));
    for (const method of other) {
      const { status, json } = await sendSample({ method, pattern }, {}, {});
      expect([method, pattern, status, json]).toEqual([method, pattern, 405, errorBody("method_not_allowed")]);
    }
  }
});

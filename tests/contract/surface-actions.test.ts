import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { MULTIPART_TYPE, multipartOf } from "#tests/fuzz/multipart.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { surfaceActions } from "#tests/support/surface.ts";
import { ACTION_SPECS, type ActionSpec } from "#tests/support/surface-actions.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { surfaceUsersForFile, withMalformedIds, withUnknownIds } from "./surface-harness.ts";
import { act as actOn } from "./wire-act.ts";
import { bearer } from "./wire-harness.ts";

const actions = surfaceActions();
const users = surfaceUsersForFile();
const rows = actions.map(({ name }) => [name] as const);
const rowsOf = (...accesses: ActionSpec["access"][]) =>
  rows.filter(([name]) => accesses.some((access) => access === ACTION_SPECS[name]?.access));
const specOf = (name: string): ActionSpec => {
  const spec = ACTION_SPECS[name];
  if (!spec) throw new Error(`${name} is missing in tests/support/surface-actions.ts.`);
  return spec;
};

const cookieOf = ({ cookie }: SurfaceUser) => `next-auth.session-token=${cookie}`;
const act = (name: string, from: SurfaceUser, headers: Record<string, string>) =>
  actOn({ callApp }, name, specOf(name).argument(from), { origin: inject("app").baseUrl, ...headers });
const actAs = (name: string, from: SurfaceUser, caller: SurfaceUser) => act(name, from, { cookie: cookieOf(caller) });
const secretsIn = (text: string, { secrets }: SurfaceUser) => secrets.filter((secret) => text.includes(secret));

/** A user whose login has ended. */
let ended: SurfaceUser;
beforeAll(async () => {
  ended = await users().insert();
  await callApp("/api/auth/logout/", { method: "POST", headers: bearer(ended.token) });
}, 60_000);

test("every action of the build is declared in tests/support/surface-actions.ts, and nothing else is", () => {
  expect(actions.map(({ name }) => name)).toEqual(Object.keys(ACTION_SPECS).toSorted());
});

test("an action that takes an id is declared as its owner's", () => {
  const ids = (value: unknown): string[] => JSON.stringify(value).match(/\b(acc|pin|grp|vid|lgn|txn)_/g) ?? [];
  const wrong = rows.filter(([name]) => {
    const { access, argument } = specOf(name);
    return ids(argument(users().owner)).length > 0 && access !== "owner";
  });
  expect(wrong).toEqual([]);
});

describe("R-API-30 without a login, and with an ended or a broken cookie", () => {
  test.each(rowsOf("owner", "user"))("R-API-30 %s is unauthenticated", async (name) => {
    const { owner } = users();
    const cookies = [cookieOf(ended), cookieOf(owner).slice(0, -6), "next-auth.session-token=x"];
    for (const headers of [
      ...cookies.map((cookie) => ({ cookie })),
      { ...bearer(owner.token), cookie: cookies[0] ?? "" },
    ]) {
      const { status, result, text } = await act(name, owner, headers);
      expect([headers, status, result]).toMatchObject([headers, 200, { ok: false, code: "unauthenticated" }]);
      expect(secretsIn(text, owner)).toEqual([]);
    }
    // Without any cookie, the sign-in page comes before the action.
    const { status, result } = await act(name, owner, {});
    expect([status, result]).toEqual([307, undefined]);
  });

  test.each(rowsOf("public"))("%s needs no login", async (name) => {
    const { status, result } = await act(name, users().owner, {});
    expect([status, (specOf(name).own ?? ["ok"]).includes(result.ok ? "ok" : result.code)]).toEqual([200, true]);
  });
});

describe("R-API-31 R-ROLE-04 ids", () => {
  test.each(rowsOf("owner"))("R-API-31 %s: another user's id is not found, as if it were not there", async (name) => {
    const { owner, stranger } = users();
    const foreign = await actAs(name, owner, stranger);
    expect([foreign.status, foreign.result]).toEqual([
      200,
      { ok: false, code: "not_found", text: "We can't find this. It may have been deleted." },
    ]);
    expect(secretsIn(foreign.text, owner)).toEqual([]);
    expect((await actAs(name, withUnknownIds(owner), stranger)).result).toEqual(foreign.result);
    const malformed = await actAs(name, withMalformedIds(owner), stranger);
    expect([malformed.status, malformed.result]).toMatchObject([
      200,
      { ok: false, code: expect.stringMatching(/^(invalid|not_found)$/) },
    ]);
  });

  test.each(rowsOf("owner", "user"))("%s works with the user's own login and ids", async (name) => {
    const { own = ["ok"], isDestructive } = specOf(name);
    const from = isDestructive ? await users().insert() : users().owner;
    const { status, result, text } = await actAs(name, from, from);
    expect([name, status, own.includes(result?.ok ? "ok" : result?.code), result]).toEqual([name, 200, true, result]);
    expect(secretsIn(text, users().stranger)).toEqual([]);
  });
});

test("a reference that throws when it is read is an invalid argument", async () => {
  const { owner } = users();
  const headers = { origin: inject("app").baseUrl, cookie: cookieOf(owner) };
  for (const argument of ["$T", { pinId: "$T0" }]) {
    const { status, result } = await actOn({ callApp }, "suggestSlotsAction", argument, headers);
    expect([status, result]).toMatchObject([200, { ok: false, code: "invalid" }]);
  }
});

test("an action of the client is a bad request as a form, whose state Next would read from its arguments", async () => {
  const { owner } = users();
  const action = actions.find(({ name }) => name === "previewTemplatesAction");
  for (const bound of ["$undefined", "$@1"]) {
    const { status } = await callApp("/app/analytics", {
      method: "POST",
      body: multipartOf([
        ["$ACTION_REF_1", ""],
        ["$ACTION_1:0", JSON.stringify({ id: action?.id, bound })],
        ["$ACTION_1:1", "[{}]"],
        ["$ACTION_KEY", "k0"],
      ]).toString(),
      headers: { origin: inject("app").baseUrl, cookie: cookieOf(owner), "content-type": MULTIPART_TYPE },
    });
    expect([bound, status]).toEqual([bound, 400]);
  }
});

test.each(rowsOf("form"))("%s: a form that was sent with a broken state is a bad request", async (name) => {
  const action = actions.find((one) => one.name === name);
  const bound = (state: string): [string, string][] => [
    ["$ACTION_REF_1", ""],
    ["$ACTION_1:0", JSON.stringify({ id: action?.id, bound: state })],
    ["$ACTION_1:1", JSON.stringify(["$undefined"])],
    ["$ACTION_KEY", "k0"],
  ];
  for (const state of ["$undefined", "$@1"]) {
    const { status } = await callApp(specOf(name).page ?? action?.page ?? "/", {
      method: "POST",
      body: multipartOf(bound(state)).toString(),
      headers: { origin: inject("app").baseUrl, "content-type": MULTIPART_TYPE },
    });
    expect([state, status]).toEqual([state, 400]);
  }
});

test.each(rowsOf("form"))("%s tells a signed-in user nothing about the owner of an address", async (name) => {
  const { owner, stranger } = users();
  const action = actions.find((one) => one.name === name);
  const fields = Object.entries(Object(specOf(name).argument(owner))).filter(([field]) => field !== "password");
  const parts = fields.map(([field, value]): [string, string] => [`1_${field}`, String(value)]);
  const { status, text } = await callApp(specOf(name).page ?? action?.page ?? "/", {
    method: "POST",
    body: multipartOf([
      ...parts,
      ["1_extra", randomBytes(4).toString("hex")],
      ["0", '[{"isDone":false},"$K1"]'],
    ]).toString(),
    headers: {
      ...{ origin: inject("app").baseUrl, cookie: cookieOf(stranger) },
      ...{ "next-action": action?.id ?? "", "content-type": MULTIPART_TYPE },
    },
  });
  expect(status).toBe(200);
  expect(secretsIn(text, owner).filter((secret) => secret !== owner.email)).toEqual([]);
});

import { beforeAll, describe, expect, inject, test } from "vitest";
import { clientOf } from "#tests/support/app-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { act as actOn } from "./wire-act.ts";
import { databaseAt } from "./wire-database.ts";
import { type Maker, makeMaker, openSession, type Session } from "./wire-house.ts";

const database = databaseAt(() => inject("app").databaseUrl);
const act = (name: string, argument: unknown, headers: Record<string, string>) =>
  actOn({ callApp }, name, argument, headers);

let owner: Maker;
let stranger: Session;

beforeAll(async () => {
  owner = await makeMaker(clientOf(inject("app")), 1);
  stranger = await openSession({ callApp });
}, 120_000);

const fromOurs = (cookie: string) => ({ cookie, origin: inject("app").baseUrl });
const pinOf = async () => (await database()`select * from pins where id = ${owner.postIds[0] ?? ""}`)[0];
const zoneOf = async ({ person }: Session) =>
  (await database()`select time_zone from users where email = ${person.email}`)[0]?.time_zone;

const PIN_ACTIONS = () =>
  [
    ["editDraftAction", { title: "Mine now" }],
    ["readPostAction", {}],
    ["deleteDraftAction", {}],
    ["unschedulePinAction", {}],
    ["retryPinAction", {}],
  ] as const;

describe("server actions", () => {
  test("R-API-31 R-ROLE-04 with another user's pin they find nothing, change nothing and tell nothing", async () => {
    const before = await pinOf();
    expect(before?.status).toBe("draft");
    for (const [name, more] of PIN_ACTIONS()) {
      const { status, result, text } = await act(name, { pinId: owner.postIds[0], ...more }, fromOurs(stranger.cookie));
      expect([name, status, result]).toEqual([name, 200, { ok: false, code: "not_found", text: "Not found." }]);
      expect(text).not.toContain(owner.keywords[0]);
    }
    expect(await pinOf()).toEqual(before);
  });

  test("R-API-30 without a login they do nothing; a bearer does not open them", async () => {
    const before = await pinOf();
    const attempts: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${stranger.token}` },
      { cookie: "next-auth.session-token=x" },
    ];
    for (const headers of attempts) {
      for (const [name, more] of PIN_ACTIONS()) {
        const { status, result } = await act(
          name,
          { pinId: owner.postIds[0], ...more },
          { origin: inject("app").baseUrl, ...headers },
        );
        // The gate answers a caller without any cookie before the action is reached.
        if (status !== 307) expect(result).toMatchObject({ ok: false, code: "unauthenticated" });
      }
    }
    expect(await pinOf()).toEqual(before);
  });

  test("QUALITY row 9 from a page of another origin they do nothing", async () => {
    const argument = { timeZone: "Europe/Lisbon" };
    for (const origin of ["https://evil.example", "null"]) {
      const { status, result } = await act("setTimeZoneAction", argument, { ...fromOurs(stranger.cookie), origin });
      expect([status >= 400, result]).toEqual([true, undefined]);
    }
    expect(await zoneOf(stranger)).toBe("UTC");
    const { result } = await act("setTimeZoneAction", argument, fromOurs(stranger.cookie));
    expect([result?.ok, await zoneOf(stranger)]).toEqual([true, "Europe/Lisbon"]);
  });

  test("bad input is refused as invalid or not found, and never fails on our side", async () => {
    const hostile = [
      null,
      7,
      [],
      {},
      { pinId: null },
      { pinId: { $ne: "" } },
      { pinId: "" },
      { pinId: "' or 1=1 --" },
      { pinId: `pin_${"0".repeat(25)}\u0000` },
      { pinId: "x".repeat(5_000) },
      { pinId: `pin_${"0".repeat(26)}`, title: "\u0000", link: "javascript:alert(1)", boardId: "../" },
    ];
    for (const [name] of PIN_ACTIONS()) {
      for (const argument of hostile) {
        const { status, result } = await act(name, argument, fromOurs(stranger.cookie));
        expect([name, argument, status]).toEqual([name, argument, 200]);
        expect(result).toMatchObject({ ok: false, code: expect.stringMatching(/^(invalid|not_found)$/) });
      }
    }
    for (const timeZone of [7, "", "Mars/Olympus", "UTC\u0000", "'; --", "x".repeat(500)]) {
      for (const name of ["setTimeZoneAction", "chooseTimeZoneAction"]) {
        const { result } = await act(name, { timeZone }, fromOurs(stranger.cookie));
        expect([name, timeZone, result]).toMatchObject([name, timeZone, { ok: false, code: "invalid" }]);
      }
    }
    for (const token of [7, "", "short", "\u0000".repeat(40), "t".repeat(43), "t".repeat(500)]) {
      const { result } = await act("verifyEmailAction", { token }, fromOurs(stranger.cookie));
      const refused = { ok: false, code: "invalid" };
      expect([refused, { ok: true, value: { kind: "invalid_link" } }]).toContainEqual(
        result.ok ? result : { ok: result.ok, code: result.code },
      );
    }
  });
});

import { describe, expect, test } from "vitest";
import { callApp, signUp } from "#tests/support/contract-client.ts";

const CREDITS = "/api/users/credits/";

test("R-API-04 R-CRED-01 R-ENT-03 returns exactly available_credits, with and without the slash", async () => {
  const user = await signUp();
  for (const path of [CREDITS, CREDITS.slice(0, -1)]) {
    const { status, json } = await user.call(path);
    expect([status, json]).toEqual([200, { available_credits: 5 }]);
  }
});

test("R-API-30 401 without a valid token", async () => {
  for (const options of [{}, { headers: { authorization: "Bearer not.a.token" } }]) {
    expect(await callApp(CREDITS, options)).toMatchObject({ status: 401, json: { code: "unauthenticated" } });
  }
});

test("R-ROLE-04 extra input changes nothing, not even another user's id", async () => {
  const user = await signUp();
  const { status, json } = await user.call(`${CREDITS}?user_id=usr_1&userId=usr_1`);
  expect([status, json]).toEqual([200, { available_credits: 5 }]);
});

describe("credit activity", () => {
  const HISTORY = "/api/users/credits/history/";

  test("R-API-04 is a statement with exactly these fields, with and without the slash", async () => {
    const user = await signUp();
    for (const path of [HISTORY, HISTORY.slice(0, -1)]) {
      const { status, json, headers } = await user.call(path);
      expect([status, headers.get("link")]).toEqual([200, null]);
      expect(json).toEqual({
        entries: [
          {
            id: expect.stringMatching(/^trf_/),
            created_at: expect.stringMatching(/Z$/),
            kind: "allowance",
            text: "Monthly credits: Free plan",
            detail: null,
            credits: 5,
            balance_after: 5,
          },
        ],
      });
    }
  });

  test("R-API-30 401 without a valid token; 400 for an invalid limit or cursor", async () => {
    expect(await callApp(HISTORY)).toMatchObject({ status: 401, json: { code: "unauthenticated" } });
    const user = await signUp();
    for (const query of ["limit=0", "limit=201", "limit=many", "cursor=", "cursor=trf_nobodys"]) {
      expect(await user.call(`${HISTORY}?${query}`), query).toMatchObject({ status: 400, json: { code: "invalid" } });
    }
  });

  test("R-ROLE-04 a cursor of another user's list is refused", async () => {
    const [user, other] = [await signUp(), await signUp()];
    const { entries } = Object((await other.call(HISTORY)).json);
    expect(await user.call(`${HISTORY}?limit=1&cursor=${entries[0].id}`)).toMatchObject({ status: 400 });
  });
});

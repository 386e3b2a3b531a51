import { expect, test } from "vitest";
import { callApp, signUp } from "#tests/support/contract-client.ts";

const CREDITS = "/api/users/credits/";

test("R-API-04 R-CRED-01 R-ENT-03 exactly available_credits, with and without the slash", async () => {
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

test("R-ROLE-04 what is sent along changes nothing, not even another user's id", async () => {
  const user = await signUp();
  const { status, json } = await user.call(`${CREDITS}?user_id=usr_1&userId=usr_1`);
  expect([status, json]).toEqual([200, { available_credits: 5 }]);
});

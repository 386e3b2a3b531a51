import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { fixturesOf } from "#tests/support/fixtures/product.ts";
import { undocumented } from "#tests/support/v1-spec.ts";
import { problem } from "./v1-harness.ts";
import { appForFile, bearer } from "./wire-harness.ts";

const app = appForFile({ PINTEREST_RELATED_TERMS: "on" });

let secret = "";
let granted = "";
let plain = "";
beforeAll(async () => {
  const fixtures = fixturesOf(app());
  const user = await app().signUp();
  ({ id: granted } = await app().connectOverHttp(user));
  const [owner] = await fixtures.db.select().from(users).where(eq(users.email, user.email));
  if (!owner) throw new Error("The user does not exist.");
  ({ id: plain } = await fixtures.account(owner));
  ({ secret } = await fixtures.apiKey(owner));
  return () => fixtures.close();
}, 60_000);

const related = async (accountId: string, query = "?term=Bread") => {
  const path = "/accounts/{account_id}/related-keywords";
  const answer = await app().callApp(`/api/v1${path.replace("{account_id}", accountId)}${query}`, {
    headers: bearer(secret),
  });
  expect(undocumented("GET", path, answer)).toBeNull();
  return answer;
};

test("related keywords come as documented, where the operator and the account's owner allowed access to ads", async () => {
  const { status, json } = await related(granted);
  expect([status, json]).toEqual([200, { data: expect.any(Array) }]);
  const { data } = Object(json);
  expect(data.length).toBeGreaterThan(3);
  expect(data.filter((keyword: string) => !/^bread \S/.test(keyword))).toEqual([]);
});

test("an account without access to ads must be connected again", async () => {
  const { status, json } = await related(plain);
  expect([status, json]).toEqual([409, problem("reconnect_needed", 409)]);
  const missing = await related(granted, "");
  expect([missing.status, Object(missing.json).errors]).toEqual([400, [{ field: "term", detail: expect.any(String) }]]);
});

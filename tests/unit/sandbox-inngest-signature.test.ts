import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { expect, test } from "vitest";
import { canonicalJson, isSignedResponse, signRequest } from "#sandbox/inngest/protocol.ts";
import { fc } from "#tests/support/properties.ts";

const SIGNING_KEY = `signkey-test-${"a1".repeat(32)}`;
const silent = { info() {}, warn() {}, error() {}, debug() {} };
const client = new Inngest({
  id: "signed",
  isDev: false,
  baseUrl: "http://127.0.0.1:9",
  eventKey: "event-key",
  signingKey: SIGNING_KEY,
  logger: silent,
});
const endpoint = serve({ client, functions: [] });

const sign = (body: string, key: string, atMs: number) => signRequest(canonicalJson(JSON.parse(body)), key, atMs);

/** The SDK's result: 401 for an invalid signature, otherwise 500 because the function is unknown. */
const post = (body: string, signature: string) =>
  endpoint(
    new Request("http://127.0.0.1/api/inngest?fnId=none&stepId=step", {
      method: "POST",
      body,
      headers: { "x-inngest-signature": signature, "content-type": "application/json", host: "127.0.0.1" },
    }),
  );

test("the SDK accepts the signature of any JSON object", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const body = JSON.stringify(value);
      const answer = await post(body, sign(body, SIGNING_KEY, Date.now()));
      expect(answer.status).toBe(500);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["a data key toJSON", '{"b":1,"a":{"toJSON":"x","c":2,"b":1}}'],
  ["a lone surrogate", '{"text":"\\ud800"}'],
  ["a zero byte and keys out of order", '{"z":"\\u0000","10":1,"9":2,"a":[{"y":1,"x":null}]}'],
  ["a key __proto__", '{"__proto__":{"x":1},"constructor":"y"}'],
])("the SDK accepts %s", async (_name, body) => {
  expect((await post(body, sign(body, SIGNING_KEY, Date.now()))).status).toBe(500);
});

test("the SDK rejects another key, another body and an old signature", async () => {
  const body = '{"a":1}';
  const now = Date.now();
  expect((await post(body, sign(body, "b2".repeat(32), now))).status).toBe(401);
  expect((await post(body, sign('{"a":2}', SIGNING_KEY, now))).status).toBe(401);
  expect((await post(body, sign(body, SIGNING_KEY, now - 310_000))).status).toBe(401);
  expect((await post(body, sign(body, SIGNING_KEY, now - 290_000))).status).toBe(500);
});

test("the SDK signs the exact text of its responses", async () => {
  const body = "{}";
  const answer = await post(body, sign(body, SIGNING_KEY, Date.now()));
  const text = await answer.text();
  const signature = answer.headers.get("x-inngest-signature") ?? "";
  expect(isSignedResponse(text, signature, SIGNING_KEY)).toBe(true);
  expect(isSignedResponse(`${text} `, signature, SIGNING_KEY)).toBe(false);
  expect(isSignedResponse(text, "", SIGNING_KEY)).toBe(false);
  expect(isSignedResponse(text, signature, "b2".repeat(32))).toBe(false);
});

test("canonical JSON sorts keys at every depth and keeps the order of lists", () => {
  expect(canonicalJson(JSON.parse('{"b":[{"d":1,"c":2},3],"a":null}'))).toBe('{"a":null,"b":[{"c":2,"d":1},3]}');
});

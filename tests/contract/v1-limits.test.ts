import { beforeAll, expect, test } from "vitest";
import { fixturesOf } from "#tests/support/fixtures/product.ts";
import { until } from "#tests/support/poll.ts";
import { undocumented } from "#tests/support/v1-spec.ts";
import { problem } from "./v1-harness.ts";
import { appForFile, bearer } from "./wire-harness.ts";

/** Of 600 a minute. */
const CALLS = 6;
const app = appForFile({ RATE_LIMIT_FACTOR: String(CALLS / 600) });

let secret = "";
beforeAll(async () => {
  const fixtures = fixturesOf(app());
  ({ secret } = await fixtures.apiKey(await fixtures.user()));
  return () => fixtures.close();
}, 60_000);

test("a call over the limit is a problem, and its Retry-After and RateLimit-Reset agree", async () => {
  const read = async () => {
    const answer = await app().callApp("/api/v1/keyword-lists", { headers: bearer(secret) });
    expect(undocumented("GET", "/keyword-lists", answer)).toBeNull();
    return { ...answer, of: (name: string) => Number(answer.headers.get(name)) };
  };
  for (let left = CALLS - 1; left >= 0; left -= 1) {
    const { status, of } = await read();
    expect([status, of("ratelimit-limit"), of("ratelimit-remaining")]).toEqual([200, CALLS, left]);
  }
  // Until less than the whole window is left.
  const refused = await until(
    async () => {
      const answer = await read();
      return answer.of("retry-after") < 60 ? answer : null;
    },
    { everyMs: 250 },
  );
  expect([refused.status, refused.json]).toEqual([429, problem("too_many", 429)]);
  expect(refused.headers.get("content-type")).toBe("application/problem+json");
  expect([refused.of("ratelimit-limit"), refused.of("ratelimit-remaining")]).toEqual([CALLS, 0]);
  expect(refused.of("ratelimit-reset")).toBe(refused.of("retry-after"));
});

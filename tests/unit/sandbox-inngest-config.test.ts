import { Inngest } from "inngest";
import { expect, test } from "vitest";
import { readFunctions } from "#sandbox/inngest/functions.ts";

const client = new Inngest({ id: "app", isDev: true });

/** A function's configuration as the SDK sends it. */
const configsOf = (options: Parameters<typeof client.createFunction>[0]): unknown[] => {
  const fn = client.createFunction(options, async () => null);
  const { getConfig } = configurable(fn);
  return JSON.parse(
    JSON.stringify(getConfig.call(fn, { baseUrl: new URL("http://localhost/api/inngest"), appPrefix: "app" })),
  );
};

/** `getConfig` has a private type; the SDK's own handler calls it like this. */
const configurable = (fn: unknown) =>
  fn as { getConfig(this: unknown, options: { baseUrl: URL; appPrefix: string }): unknown[] };

const event = { triggers: [{ event: "a/b" }] };

test("a plain function gets the SDK's default of five attempts", () => {
  const { functions, problems } = readFunctions(configsOf({ id: "fn", ...event }));
  expect(problems).toEqual([]);
  expect(functions.get("app-fn")).toMatchObject({ id: "app-fn", maxAttempts: 5, concurrency: [] });
});

test("retries, cron, failure handlers and concurrency are supported", () => {
  const { functions, problems } = readFunctions([
    ...configsOf({ id: "one", retries: 0, triggers: [{ event: "a/b" }, { cron: "0 3 * * *" }] }),
    ...configsOf({ id: "two", ...event, concurrency: 4, onFailure: async () => null }),
    ...configsOf({
      id: "three",
      ...event,
      concurrency: [
        { limit: 1, key: "event.data.userId" },
        { limit: 9, scope: "fn" },
      ],
    }),
  ]);
  expect(problems).toEqual([]);
  expect(functions.get("app-one")).toMatchObject({
    maxAttempts: 1,
    triggers: [{ kind: "event" }, { cron: "0 3 * * *" }],
  });
  expect(functions.get("app-two-failure")).toMatchObject({
    maxAttempts: 2,
    triggers: [{ event: "inngest/function.failed", failedFunctionId: "app-two" }],
  });
  expect(functions.get("app-two")?.concurrency).toMatchObject([{ limit: 4 }]);
  const [keyed] = functions.get("app-three")?.concurrency ?? [];
  expect(keyed?.keyOf({ data: { userId: "u1" } })).toBe("u1");
  expect(keyed?.keyOf({ data: {} })).toBeUndefined();
});

test.each([
  ["cancel", { cancelOn: [{ event: "a/stop" }] }],
  ["idempotency", { idempotency: "event.data.id" }],
  ["rateLimit", { rateLimit: { limit: 1, period: "1m" as const } }],
  ["throttle", { throttle: { limit: 1, period: "1m" as const } }],
  ["debounce", { debounce: { period: "1m" as const } }],
  ["batchEvents", { batchEvents: { maxSize: 2, timeout: "1s" as const } }],
  ["priority", { priority: { run: "100" } }],
  ["singleton", { singleton: { mode: "skip" as const } }],
  ["timeouts", { timeouts: { finish: "1m" as const } }],
  ["concurrency.scope", { concurrency: { limit: 1, scope: "account" as const, key: "'x'" } }],
  ["concurrency.limit", { concurrency: 0 }],
])("%s is rejected with a message that names function and key", (key, options) => {
  const { problems } = readFunctions(configsOf({ id: "fn", ...event, ...options }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('"app-fn"');
  expect(problems[0]).toContain(`"${key}"`);
});

test.each([
  [{ triggers: [{ event: "a/*" }] }, /wildcard/],
  [{ triggers: [{ event: "a/b", if: "event.data.n > 3" }] }, /"triggers.expression" is not supported/],
  [{ triggers: [{ event: "a/b", if: "event.data.x == 'y'" }] }, /"triggers.expression" is not supported/],
  [{ triggers: [{ cron: "TZ=Europe/Paris 0 3 * * *" as const }] }, /TZ=Europe\/Paris/],
  [{ ...event, concurrency: { limit: 1, key: "event.data.a + event.data.b" } }, /must be a path/],
])("%j is rejected", (options, reason) => {
  expect(readFunctions(configsOf({ id: "fn", ...options })).problems[0]).toMatch(reason);
});

test("an unknown key of a later SDK is rejected unless it is unset", () => {
  const [config] = configsOf({ id: "fn", ...event });
  expect(readFunctions([{ ...Object(config), novelty: { x: 1 } }]).problems[0]).toContain('"novelty"');
  expect(readFunctions([{ ...Object(config), novelty: null }]).problems).toEqual([]);
});

test("no functions at all is a problem", () => {
  expect(readFunctions([]).problems).toHaveLength(1);
  expect(readFunctions([{}]).problems).toHaveLength(1);
});

import { globSync, readFileSync } from "node:fs";
import { describe, expect, inject, test } from "vitest";
import { OPERATIONS } from "#lib/server/v1/operations.ts";
import * as contractClient from "#tests/support/contract-client.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { controlPinterest } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";
import { bearer, errorBody, insertCreator, openSession } from "./wire-harness.ts";

const METRICS = "/api/metrics/";
const token = () => inject("app").env.METRICS_TOKEN ?? "";

const scrape = async (path = METRICS): Promise<string> => {
  const { status, text, headers } = await callApp(path, { headers: bearer(token()) });
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    "no-store",
  ]);
  return text;
};

/** Sum of the samples whose line starts with `start`. */
const sumOf = (text: string, start: string): number =>
  text
    .split("\n")
    .filter((line) => line.startsWith(start))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);

/** Counters that grow when a pin is published on the second attempt, after Pinterest refused its token. */
const GROWING = [
  'evertack_publish_decisions_total{decision="published",outcome="created"}',
  "evertack_publish_lateness_seconds_count",
  'evertack_provider_problems_total{provider="pinterest",kind="token_dead"}',
  'evertack_step_seconds_count{job="publish-pin",step="publish-due"}',
];
/** Counters that generating the pin increased before. */
const FILLED = ['evertack_generation_results_total{result="finished"}', "evertack_generation_seconds_count"];

/** Every possible route label: patterns of routes and of `/api/v1`, names of actions, and labels for the rest. */
const knownRoutes = (): Set<string> => {
  const addresses = globSync("app/api/**/route.ts").map((file) => file.replace(/^app|\/route\.ts$/g, ""));
  // An optional last segment may be missing, as in `/api`.
  const shorter = addresses.filter((path) => path.endsWith("]]")).map((path) => path.slice(0, path.lastIndexOf("/")));
  const patterns = [...addresses, ...shorter].map((path) => path.replace(/\/\[+(?:\.\.\.)?(\w+)\]+/g, "/:$1"));
  const actions = globSync("lib/features/*/actions.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\baction\(\s*"([a-z-]+)"/g)].map(([, name]) => String(name)),
  );
  expect(patterns.length).toBeGreaterThan(40);
  expect(actions.length).toBeGreaterThan(30);
  const operations = ["/other", ...OPERATIONS.map(({ path }) => path)].map((path) => `/api/v1${path}`);
  return new Set([...patterns, ...actions, ...operations, "other"]);
};

describe("GET /api/metrics/", () => {
  test("responds only to bearers of METRICS_TOKEN, not to signed-in users", async () => {
    const { token: login, cookie } = await openSession({ callApp });
    const wrong = [{}, { cookie }, bearer(login), bearer(`${token()}x`), { authorization: `Basic ${token()}` }];
    for (const headers of wrong) {
      const { status, json, text } = await callApp(METRICS, { headers: Object(headers) });
      expect([status, json]).toEqual([401, errorBody("unauthenticated")]);
      expect(text).not.toContain("evertack_");
    }
    const { status, headers } = await callApp(METRICS, { method: "POST", headers: bearer(token()) });
    expect([status, headers.get("allow")]).toEqual([405, "GET"]);
  });

  test("each line is valid Prometheus text", async () => {
    const text = await scrape("/api/metrics");
    const lines = text.split("\n").filter(Boolean);
    const named = /^(# (HELP|TYPE) )?([a-z0-9_]+)(\{([a-z_]+="[^"\n]*",?)+\})?( .+)$/;
    expect(lines.filter((line) => !named.test(line))).toEqual([]);
    const own = new Set(lines.flatMap((line) => /^# TYPE (evertack_\w+)/.exec(line)?.[1] ?? []));
    for (const name of [
      "pins_scheduled",
      "publish_lateness_seconds",
      "provider_problems_total",
      "database_connections",
    ])
      expect(own).toContain(`evertack_${name}`);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(text).toMatch(/^evertack_database_connections_max [1-9]\d*$/m);
    expect(text).toMatch(/^evertack_database_pool\{state="max"\} [1-9]\d*$/m);
    expect(text).toMatch(/^evertack_live_streams \d+$/m);
    expect(text).toMatch(/^evertack_engine_down 0$/m);
  });

  test("R-SRV-03 R-SRV-04 counts generated and published pins, lateness and Pinterest problems", async () => {
    const creator = await insertCreator(contractClient, 1);
    const before = await scrape();
    const where = { account: creator.username };
    const pinterest = controlPinterest(inject("app").pinterestUrl);
    await pinterest.addFault({ match: "POST /v5/pins", scenario: "token-dead", times: 1, where });
    const body = { post_ids: creator.pinIds, interval_minutes: 1 };
    await creator.user.call("/api/users/pinterest/batch-publish-pins/", { method: "POST", body });
    const grown = (text: string, start: string) => sumOf(text, start) - sumOf(before, start);
    // Other files' pins are counted too, so wait for each counter separately.
    const after = await until(
      async () => {
        const text = await scrape();
        for (const counter of GROWING) expect(grown(text, counter), counter).toBeGreaterThanOrEqual(1);
        for (const counter of FILLED) expect(sumOf(text, counter), counter).toBeGreaterThanOrEqual(1);
        return text;
      },
      { deadlineMs: 120_000, everyMs: 200, what: "the counters to grow" },
    );
    for (const word of [creator.accountId, creator.username, creator.boardId, ...creator.pinIds, ...creator.keywords]) {
      expect(after).not.toContain(word);
    }
    expect(after).not.toMatch(/\b(usr|lgn|acc|grp|tsk|pin|bat|att|req)_[0-9a-z]{26}/);
  }, 180_000);

  test("arbitrary requests do not add labels", async () => {
    const { user, accountId } = { user: await contractClient.signUp(), accountId: "acc_00000000000000000000000000" };
    const odd = ["stranger1", "stranger%2F2", "stranger'3", "%E2%82%AC-stranger4", "stranger 5"];
    for (const part of odd) {
      await callApp(`/api/${part}/x`);
      await callApp(`/api/images/${part}/${part}.jpg`);
      await callApp(`/api/auth/${part}`);
      await callApp(`/api/users/pinterest/boards/${part}`, { method: "DELETE" });
      await user.call(`/api/users/pinterest/boards/${part}/`);
    }
    await user.call(`/api/users/pinterest/boards/${accountId}/`);
    const text = await scrape();
    expect(text).not.toContain("stranger");
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
    expect(routes).toContain("/api/users/pinterest/boards/:accountId");
    expect(routes).toContain("/api/:unknown");
    const known = knownRoutes();
    expect([...routes].filter((route) => route === undefined || !known.has(route))).toEqual([]);
  });
});

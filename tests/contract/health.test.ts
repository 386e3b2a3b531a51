import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { appForFile, bearer, errorBody, openSession } from "./wire-harness.ts";

const TOKEN = randomBytes(24).toString("hex");
const HEALTH = "/api/health/";
const GOOD = {
  live: true,
  ready: true,
  degraded: false,
  checks: { database: { ok: true }, migrations: { ok: true }, engine: { ok: true }, storage: { ok: true } },
};

test("the running app is live and ready, with and without the slash, and responses are not cached", async () => {
  for (const path of [HEALTH, "/api/health"]) {
    const { status, json, headers } = await callApp(path);
    expect([status, json, headers.get("cache-control")]).toEqual([200, GOOD, "no-store"]);
  }
});

describe("when a dependency is down", () => {
  const app = appForFile({ METRICS_TOKEN: TOKEN });
  const metric = async (name: string): Promise<string | undefined> => {
    const { text } = await app().callApp("/api/metrics/", { headers: bearer(TOKEN) });
    return new RegExp(`^evertack_${name} (\\S+)$`, "m").exec(text)?.[1];
  };
  const doors = () => {
    const { pathname } = new URL(app().databaseUrl);
    const name = pathname.slice(1);
    const switchTo = async (isOpen: boolean) => {
      const sql = postgres(inject("testServerUrl"), { max: 1, onnotice: () => {} });
      await sql.unsafe(`alter database "${name}" with allow_connections ${isOpen}`);
      if (!isOpen) await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
      await sql.end();
    };
    return { shut: () => switchTo(false), open: () => switchTo(true), name };
  };
  const health = () => app().callApp(HEALTH);

  afterEach(async () => {
    await doors().open();
    await until(async () => (await health()).status === 200, { deadlineMs: 30_000, what: "the app to be ready again" });
  }, 40_000);

  test("without its database it is live but not ready (503), and recovers by itself", async () => {
    await doors().shut();
    const answer = await until(
      async () => {
        const seen = await health();
        // On a busy machine, the engine's response may be late.
        return seen.status === 503 && Object(seen.json).checks.engine.ok ? seen : undefined;
      },
      { what: "503" },
    );
    expect(answer.json).toEqual({
      live: true,
      ready: false,
      degraded: false,
      checks: {
        database: { ok: false, problem: expect.stringMatching(/^The database is not responding \(\w+\)\.$/) },
        migrations: { ok: false, problem: "unknown" },
        engine: { ok: true },
        storage: { ok: false, problem: "unknown" },
      },
    });
    expect(answer.text).not.toContain(doors().name);
    // Balancers keep sending it requests.
    const live = await app().callApp(`${HEALTH}?live`);
    expect([live.status, live.json]).toEqual([200, { live: true }]);
    // the status page must work while a service is down.
    const page = await app().callApp("/status");
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/Part of \w+ is down/);
    expect(page.text).toContain("We can’t load the records right now. They’re safe.");
    await doors().open();
    await until(async () => (await health()).status === 200, { deadlineMs: 30_000, what: "200 again" });
  });

  test("a failing database is a plain 500 and leaves no personal data in the log", async () => {
    const { token } = await openSession(app());
    const canary = `canary-${randomBytes(8).toString("hex")}`;
    await doors().shut();
    const body = { email: `${canary}@example.com`, password: canary };
    const password = `Aa1!${canary}-heather-7`;
    const names = { username: canary, first_name: "A", last_name: "B" };
    const form = { ...body, ...names, password, confirmPassword: password };
    const answers = [
      await app().callApp("/api/users/login/", { method: "POST", body }),
      await app().callApp("/api/users/register/", { method: "POST", body: form }),
      await app().callApp("/api/users/me/", { headers: bearer(token) }),
    ];
    for (const { status, json, text } of answers) {
      expect([status, json]).toEqual([500, errorBody("internal")]);
      expect(text).not.toMatch(/query|select|insert|postgres|node_modules|canary/i);
    }
    const log = readFileSync(join(app().dataDir, "logs", "app.log"), "utf8");
    for (const { json } of answers) expect(log).toContain(Object(json).request_id);
    expect(log).toContain('"outcome":"internal"');
    expect(log).not.toContain(canary);
  });

  test("without its durable engine it stays ready (200) and says that it is degraded", async () => {
    await app().kill9("executor");
    const answer = await until(
      async () => {
        const seen = await health();
        // A connection to the dying process reports a different error first.
        return seen.text.includes("ECONNREFUSED") ? seen : undefined;
      },
      { deadlineMs: 20_000, what: "the engine to be reported as down" },
    );
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      live: true,
      ready: true,
      degraded: true,
      checks: {
        database: { ok: true },
        engine: { ok: false, problem: "The durable engine is not responding (ECONNREFUSED)." },
      },
    });
    expect(await metric("engine_down")).toBe("1");
    await app().restart("executor");
    await until(async () => (await metric("engine_down")) === "0", {
      deadlineMs: 20_000,
      what: "the engine to be back",
    });
  });

  test("during an outage of its storage it stays ready (200), says so in its metrics, and on the status page", async () => {
    const sql = postgres(app().databaseUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end());
    const folder = join(app().dataDir, "storage");
    if (existsSync(folder)) renameSync(folder, `${folder}-away`);
    const putBack = () => existsSync(`${folder}-away`) && renameSync(`${folder}-away`, folder);
    onTestFinished(() => void putBack());
    // What the next check of the minute job would record, for a storage that was there before.
    await sql`insert into storage_state (is_only, marked_at, checked_at, down_since, problem)
      values (true, now(), now(), now(), 'marker_missing') on conflict (is_only) do update
      set marked_at = now(), checked_at = now(), down_since = now(), problem = 'marker_missing'`;
    const seenWhen = async (isExpected: (json: Record<string, unknown>) => boolean) =>
      until(
        async () => {
          const seen = await health();
          return isExpected(Object(seen.json)) ? seen : undefined;
        },
        { deadlineMs: 90_000, what: "the health to change" },
      );
    const { status, json } = await seenWhen(({ checks }) => !Object(checks).storage.ok);
    const problem = "The image storage is not available (marker_missing).";
    expect([status, json]).toMatchObject([
      200,
      { ready: true, degraded: true, checks: { storage: { ok: false, problem } } },
    ]);
    expect(await metric("storage_down")).toBe("1");
    const page = await until(
      async () => {
        const { text } = await app().callApp("/status");
        return /Part of \w+ is down/.test(text) ? text : undefined;
      },
      { deadlineMs: 20_000, what: "the status page to be read again" },
    );
    expect(page).not.toContain("marker_missing");
    putBack();
    await sql`delete from storage_state`;
    expect((await seenWhen(({ degraded }) => degraded === false)).status).toBe(200);
    expect(await metric("storage_down")).toBe("0");
  });
});

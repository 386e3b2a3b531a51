import { describe, expect, test } from "vitest";
import { appForFile, errorBody } from "./wire-harness.ts";

describe("a web process", () => {
  const web = appForFile({ ROLE: "web" });

  test("serves pages and calls, and no durable steps", async () => {
    const { callApp } = web();
    expect((await callApp("/login")).status).toBe(200);
    expect((await callApp("/api/users/plans/")).status).not.toBe(404);
    for (const path of ["/api/inngest", "/api/inngest/", "/api/%69nngest"]) {
      for (const method of ["GET", "PUT", "POST"]) expect((await callApp(path, { method })).status).toBe(404);
    }
  });
});

describe("a worker", () => {
  const worker = appForFile({ ROLE: "worker", METRICS_TOKEN: "4c9e1f7a02bd856338e0a9d1c75f64b2" });

  test("serves durable steps, health and metrics, and says that it serves nothing else", async () => {
    const { callApp } = worker();
    expect((await callApp("/api/health/")).status).toBe(200);
    const headers = { authorization: "Bearer 4c9e1f7a02bd856338e0a9d1c75f64b2" };
    expect((await callApp("/api/metrics/", { headers })).text).toContain("evertack_database_pool");
    expect((await callApp("/api/inngest", { method: "PUT" })).status).toBe(401);
    for (const path of ["/", "/app", "/api/users/me/", "/api/users/events/", "/icon.svg", "/api/%69nngest"]) {
      const { status, json } = await callApp(path);
      expect([path, status, json]).toEqual([path, 404, errorBody("not_found", expect.stringContaining("background work"))]);
    }
  });
});

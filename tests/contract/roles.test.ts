import { expect, test } from "vitest";
import { appForFile, bearer, errorBody } from "./wire-harness.ts";

const METRICS_TOKEN = "4c9e1f7a02bd856338e0a9d1c75f64b2";
const worker = appForFile({ ROLE: "worker", METRICS_TOKEN });

test("a worker serves durable steps, health and metrics, and says that it serves nothing else", async () => {
  const { callApp } = worker();
  expect((await callApp("/api/health/")).status).toBe(200);
  expect((await callApp("/api/metrics/", { headers: bearer(METRICS_TOKEN) })).text).toContain("evertack_database_pool");
  expect((await callApp("/api/inngest", { method: "PUT" })).status).toBe(401);
  for (const path of ["/", "/app", "/api/users/me/", "/api/users/events/", "/icon.svg", "/api/%69nngest"]) {
    const { status, json } = await callApp(path);
    expect([path, status, json]).toEqual([
      path,
      404,
      errorBody("not_found", expect.stringContaining("background work")),
    ]);
  }
});

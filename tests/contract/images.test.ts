import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { errorBody } from "./wire-harness.ts";

const storage = () => (inject("app").env.STORAGE_URL ?? "").replace(/^file:/, "");

/** Writes bytes to the product's storage. */
const storeFile = (name: string, content: string) => {
  mkdirSync(join(storage(), "pins"), { recursive: true });
  writeFileSync(join(storage(), name), content);
};

/** Sends a path unchanged; `fetch` would normalize it. */
const rawGet = (path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(inject("app").baseUrl);
    request({ hostname, port, path }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });

const newKey = () => `pins/${randomBytes(20).toString("hex")}.jpg`;

describe("GET /api/images/{key}", () => {
  test("a stored image is cached forever with a fixed type, with and without the slash", async () => {
    const key = newKey();
    storeFile(key, "the very bytes");
    for (const path of [`/api/images/${key}`, `/api/images/${key}/`]) {
      const { status, text, headers } = await callApp(path);
      expect([status, text]).toEqual([200, "the very bytes"]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "image/jpeg",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      });
    }
  });

  test("a missing image is 404 and not cached", async () => {
    const answer = await callApp(`/api/images/${newKey()}`);
    expect([answer.status, answer.json]).toEqual([404, errorBody("not_found")]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const written = await callApp(`/api/images/${newKey()}`, { method: "PUT", body: {} });
    expect([written.status, written.json]).toEqual([405, errorBody("method_not_allowed")]);
  });

  test("no key leads out of the image folder, or to a folder", async () => {
    const canary = `canary-${randomBytes(8).toString("hex")}`;
    const key = newKey();
    for (const name of ["../canary.jpg", "canary.txt", "pins/.hidden.jpg", "top.jpg", key]) storeFile(name, canary);
    const inside = (path: string) => `/api/images/${path}`;
    const paths = [
      "../canary.jpg",
      "pins/../../canary.jpg",
      "..%2fcanary.jpg",
      "pins/..%2f..%2fcanary.jpg",
      "pins/%2e%2e/%2e%2e/canary.jpg",
      "pins/..%5c..%5ccanary.jpg",
      "pins%2f%2e%2e%2f%2e%2e%2fcanary.jpg",
      `%2f${storage().slice(1)}/../canary.jpg`,
      "canary.txt",
      "pins/.hidden.jpg",
      "top.jpg",
      "pins",
      "pins/",
      "",
      ".incoming",
      `${key}/x.jpg`,
      `${key}%00.jpg`,
      `${key}%00`,
      key.toUpperCase(),
      `pins/${"a".repeat(300)}.jpg`,
      `${"a/".repeat(150)}b.jpg`,
      "pins/%ff.jpg",
    ];
    for (const path of paths) {
      const { status, text } = await rawGet(inside(path));
      expect([path, [308, 400, 404].includes(status)]).toEqual([path, true]);
      expect(text).not.toContain(canary);
    }
    expect((await rawGet(inside(key))).text).toBe(canary);
  });
});

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { afterAll, describe, expect, inject, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { signedImageUrl } from "#lib/features/pins/image-urls.ts";
import { callApp } from "#tests/support/contract-client.ts";
import { fixturesOf } from "#tests/support/fixtures/product.ts";
import { errorBody } from "./wire-harness.ts";

const storage = () => (inject("app").env.STORAGE_URL ?? "").replace(/^file:/, "");

/** Writes bytes to the product's storage. */
const storeFile = (name: string, content: string | Uint8Array) => {
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

const ctx = { now: () => new Date(), settings: { tokenSecret: inject("app").env.AUTH_SECRET ?? "" } };

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** The path as it is, with a signature for the key that it decodes to. */
const signed = (path: string): string => {
  const key = decoded(path);
  const url = signedImageUrl(ctx, key);
  return `${url.slice(0, url.length - key.length)}${path}`;
};

const jpeg = async (): Promise<Buffer> =>
  sharp({ create: { width: 60, height: 90, channels: 3, background: "#3a5f4a" } })
    .jpeg()
    .toBuffer();

const fixtures = fixturesOf(inject("app"));
afterAll(() => fixtures.close());

const newKey = () => `pins/${randomBytes(20).toString("hex")}.jpg`;

describe("GET /api/images/{key}", () => {
  test("an image that isn't on Pinterest needs its signature, and no shared cache keeps it", async () => {
    const key = newKey();
    storeFile(key, "the very bytes");
    const url = signed(key);
    for (const path of [url, `${url}/`]) {
      const { status, text, headers } = await callApp(path);
      expect([status, text]).toEqual([200, "the very bytes"]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "image/jpeg",
        "cache-control": expect.stringMatching(/^private, max-age=\d{5}, immutable$/),
        "x-content-type-options": "nosniff",
      });
    }
    const [, expires = "", signature = ""] = /signed\/(\d+)\/([^/]+)/.exec(url) ?? [];
    const [later, other] = [String(Number(expires) + 1), newKey()];
    storeFile(other, "another image");
    const forged = [
      `/api/images/${key}`,
      url.replace(expires, later),
      url.replace(expires, "x"),
      url.replace(key, other),
      url.replace(signature, "A".repeat(22)),
      url.replace(`/${signature}`, ""),
      url.replace(`signed/${expires}/`, ""),
    ];
    for (const path of forged) expect([path, (await callApp(path)).status]).toEqual([path, 404]);
  });

  test("an image on Pinterest is public, and caches ask again after an hour", async () => {
    const user = await fixtures.user();
    const account = await fixtures.account(user);
    const [shown, hidden] = [newKey(), newKey()];
    await fixtures.pins(account, [
      { title: "On Pinterest", status: "published", imageKey: shown },
      { title: "A draft", imageKey: hidden },
    ]);
    for (const key of [shown, hidden]) storeFile(key, await jpeg());
    const path = `/api/images/${shown}`;
    const { status, headers } = await callApp(path);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=3600"]);
    const etag = headers.get("etag") ?? "";
    expect((await callApp(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await callApp(path.replace(/\.jpg$/, ".w360.webp"))).status).toBe(200);
    expect((await callApp(`/api/images/${hidden}`)).status).toBe(404);
    await fixtures.db.delete(pins).where(eq(pins.imageKey, shown));
    expect((await callApp(path, { headers: { "if-none-match": etag } })).status).toBe(404);
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
      const { status, text } = await rawGet(signed(path));
      expect([path, [308, 400, 404].includes(status)]).toEqual([path, true]);
      expect(text).not.toContain(canary);
    }
    expect((await rawGet(signed(key))).text).toBe(canary);
  });
});

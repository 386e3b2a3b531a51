import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openStorage } from "#lib/composition.ts";
import { openS3Server } from "#tests/support/s3-server.ts";
import { describeStorage } from "#tests/support/storage-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "s3-"));
const buckets = Array.from({ length: 40 }, () => `pictures-${randomBytes(6).toString("hex")}`);
const server = openS3Server(folder, buckets);

let endpoint = "";
let opened = 0;

beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "S3RVER");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "S3RVER");
  endpoint = await server.start();
});
afterAll(async () => {
  await server.stop();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const urlOf = (bucket: string) => `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}&region=eu-west-2`;

describeStorage("S3 storage", async () => {
  const bucket = buckets[opened];
  opened += 1;
  if (bucket === undefined) throw new Error("More storages than buckets.");
  return openStorage(urlOf(bucket));
});

test("a bucket that is not there is an error, not an absent picture", async () => {
  const storage = openStorage(urlOf("no-such-bucket"));
  await expect(storage.get("pins/a.jpg")).rejects.toThrow();
  await expect(storage.put("pins/a.jpg", new Uint8Array([1]))).rejects.toThrow();
});

test("a service that does not answer is an error, not an absent picture", async () => {
  const storage = openStorage(`s3://pictures?endpoint=${encodeURIComponent("http://127.0.0.1:9")}&region=eu-west-2`);
  await expect(storage.get("pins/a.jpg")).rejects.toThrow();
  await expect(storage.delete("pins/a.jpg")).rejects.toThrow();
});

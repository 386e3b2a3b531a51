import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { bucketUrl, openS3Server, S3_CREDENTIALS } from "./s3-store.ts";

/** Creates buckets in a temporary folder for all tests of a file. A bucket's URL is known once the tests run. */
export const bucketsForFile = (count: number) => {
  const folder = mkdtempSync(join(tmpdir(), "s3-"));
  const names = Array.from({ length: count }, () => `images-${randomUUID().slice(0, 13)}`);
  const server = openS3Server(folder, names);
  let endpoint = "";
  beforeAll(async () => {
    for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value);
    endpoint = await server.start();
  });
  afterAll(async () => {
    await server.stop();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    names,
    urlOf: (bucket: string): string => bucketUrl(endpoint, bucket),
  };
};

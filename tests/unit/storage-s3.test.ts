import { expect, test } from "vitest";
import { openStorage } from "#lib/composition.ts";
import { bucketsForFile } from "#tests/support/s3-server.ts";
import { describeStorage } from "#tests/support/storage-contract.ts";

const { names: buckets, urlOf } = bucketsForFile(40);
let opened = 0;

describeStorage("S3 storage", async () => {
  const bucket = buckets[opened];
  opened += 1;
  if (bucket === undefined) throw new Error("More storages than buckets.");
  return openStorage(urlOf(bucket));
});

test("a missing bucket is an error, not a missing image", async () => {
  const storage = openStorage(urlOf("no-such-bucket"));
  await expect(storage.get("pins/a.jpg")).rejects.toThrow();
  await expect(storage.put("pins/a.jpg", new Uint8Array([1]))).rejects.toThrow();
});

test("an unresponsive service is an error, not a missing image", async () => {
  const storage = openStorage(`s3://pictures?endpoint=${encodeURIComponent("http://127.0.0.1:9")}&region=eu-west-2`);
  await expect(storage.get("pins/a.jpg")).rejects.toThrow();
  await expect(storage.has("pins/a.jpg")).rejects.toThrow();
  await expect(storage.delete("pins/a.jpg")).rejects.toThrow();
});

import { expect, test } from "vitest";
import { parseStorageUrl } from "#lib/core/storage-url.ts";

test("a folder, or a bucket with its region and endpoint", () => {
  expect(parseStorageUrl("file:/var/pictures")).toEqual({ kind: "file", folder: "/var/pictures" });
  expect(parseStorageUrl("file:///var/pictures")).toEqual({ kind: "file", folder: "/var/pictures" });
  expect(parseStorageUrl("file:.data/storage")).toEqual({ kind: "file", folder: ".data/storage" });
  expect(parseStorageUrl("s3://pictures")).toEqual({
    kind: "s3",
    bucket: "pictures",
    region: "us-east-1",
    endpoint: null,
  });
  expect(parseStorageUrl("s3://my.pictures?endpoint=https://s3.example.com&region=auto")).toEqual({
    kind: "s3",
    bucket: "my.pictures",
    region: "auto",
    endpoint: "https://s3.example.com",
  });
});

test.each([
  "",
  "file:",
  "/var/pictures",
  "https://pictures.s3.amazonaws.com",
  "s3:",
  "s3://",
  "s3://Bucket_Name",
  "s3://pictures/folder",
  "s3://user:secret@pictures",
  "s3://pictures?endpoint=ftp://x.example",
  "s3://pictures?regoin=eu-west-2",
  "s3://pictures?region=EU West",
])("%j is not a storage URL", (text) => {
  expect(parseStorageUrl(text)).toBeNull();
});

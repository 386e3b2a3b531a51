import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import S3rver, { type S3Object } from "s3rver";

/** Any request that is signed with these is accepted. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** The storage URL of a bucket at this origin. */
export const bucketUrl = (endpoint: string, bucket: string): string =>
  `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}&region=eu-west-2`;

/**
 * An S3-compatible server over a folder. Unlike S3, s3rver may respond before a file is complete, so objects are
 * written to a temporary file and then moved, one after the other.
 */
export const openS3Server = (directory: string, buckets: readonly string[]) => {
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name, configs: [] })),
  });
  const { store } = server;
  let last: Promise<unknown> = Promise.resolve();
  const write = async ({ bucket, key, content, metadata }: S3Object) => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    const path = store.getResourcePath(bucket, key, "object");
    const draft = join(directory, randomUUID());
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, bytes);
    await rename(draft, path);
    const md5 = hash("md5", bytes);
    await store.putMetadata(bucket, key, metadata, md5);
    return { size: bytes.byteLength, md5 };
  };
  store.putObject = (object) => {
    const written = last.then(() => write(object));
    last = written.catch(() => undefined);
    return written;
  };
  return {
    /** Returns the origin. */
    start: async (): Promise<string> => `http://127.0.0.1:${(await server.run()).port}`,
    stop: (): Promise<void> => server.close(),
  };
};

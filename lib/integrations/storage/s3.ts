import "server-only";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { assertStorageKey, type ByteRange, type StoragePort, type StoredObject } from "./port.ts";

interface Bucket {
  bucket: string;
  region: string;
  /** For services other than Amazon's. Buckets are then part of the path. */
  endpoint: string | null;
}

const openClient = async ({ region, endpoint }: Bucket) => {
  // Loaded on demand, so that installations with file storage never load the SDK.
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region,
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    maxAttempts: 4,
    // By default the SDK only warns when a response takes too long.
    requestHandler: {
      connectionTimeout: 5 * SECOND_MS,
      requestTimeout: 30 * SECOND_MS,
      socketTimeout: 30 * SECOND_MS,
      throwOnRequestTimeout: true,
    },
    // Many compatible services do not support the newer checksums. TLS and Content-Length protect the data.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { sdk, client };
};

type Opened = Awaited<ReturnType<typeof openClient>> & { client: S3Client };

/** For a large file over a slow line. */
const UPLOAD_TIMEOUT_MS = 20 * MINUTE_MS;

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown.name === "NoSuchKey" || thrown.name === "NotFound");

/** The SDK retries failed responses, but not interrupted bodies. */
const READS_MAX = 3;

const readObject = async (
  { sdk, client }: Opened,
  bucket: string,
  key: string,
  reads = 1,
): Promise<Uint8Array | null> => {
  const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }));
  try {
    return (await Body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (reads >= READS_MAX) throw error;
    return readObject({ sdk, client }, bucket, key, reads + 1);
  }
};

const getObject = async (opened: Opened, bucket: string, key: string): Promise<Uint8Array<ArrayBuffer> | null> => {
  try {
    const bytes = await readObject(opened, bucket, key);
    return bytes && new Uint8Array(bytes);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** The SDK does not send a stream again after a failure, so each try opens the file again. */
const PUTS_MAX = 3;

const putFile = async (opened: Opened, target: { Bucket: string; Key: string }, path: string, tries = 1) => {
  const { sdk, client } = opened;
  const ContentLength = (await stat(path)).size;
  try {
    const command = new sdk.PutObjectCommand({ ...target, Body: createReadStream(path), ContentLength });
    // The time limit of a request is for its whole duration, which a long video would exceed.
    await client.send(command, { requestTimeout: UPLOAD_TIMEOUT_MS });
  } catch (error) {
    if (tries >= PUTS_MAX) throw error;
    await putFile(opened, target, path, tries + 1);
  }
};

/** The whole size is the part of `bytes 0-1/200` after the slash. */
const openObject = async ({ sdk, client }: Opened, target: { Bucket: string; Key: string }, range?: ByteRange) => {
  const Range = range && `bytes=${range.start}-${range.end}`;
  try {
    const { Body, ContentLength, ContentRange } = await client.send(new sdk.GetObjectCommand({ ...target, Range }));
    if (!(Body instanceof Readable)) return null;
    return { body: Body, bytes: Number(ContentRange?.split("/")[1] ?? ContentLength) } satisfies StoredObject;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

const hasObject = async ({ sdk, client }: Opened, bucket: string, key: string): Promise<boolean> => {
  try {
    await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Writes are atomic, as the service guarantees. Methods throw for an invalid key and for errors of the service. */
export const createS3Storage = (options: Bucket): StoragePort => {
  const { bucket } = options;
  let opening: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => {
    opening ??= openClient(options);
    return opening;
  };
  return {
    put: async (key, bytes) => {
      assertStorageKey(key);
      const { sdk, client } = await open();
      await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
    },
    get: async (key) => {
      assertStorageKey(key);
      return getObject(await open(), bucket, key);
    },
    putFile: async (key, path) => {
      assertStorageKey(key);
      await putFile(await open(), { Bucket: bucket, Key: key }, path);
    },
    open: async (key, range) => {
      assertStorageKey(key);
      return openObject(await open(), { Bucket: bucket, Key: key }, range);
    },
    has: async (key) => {
      assertStorageKey(key);
      return hasObject(await open(), bucket, key);
    },
    delete: async (key) => {
      assertStorageKey(key);
      const { sdk, client } = await open();
      await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
};

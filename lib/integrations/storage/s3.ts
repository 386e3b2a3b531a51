import "server-only";
import type { S3Client } from "@aws-sdk/client-s3";
import { SECOND_MS } from "#lib/core/time.ts";
import { assertStorageKey, type StoragePort } from "./port.ts";

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

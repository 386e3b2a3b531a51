import type { Readable } from "node:stream";

/** Bytes from `start` to `end`, both inclusive, of an object. */
export interface ByteRange {
  start: number;
  end: number;
}

/** An object that is read as a stream. `body` must be read or destroyed. */
export interface StoredObject {
  body: Readable;
  /** Of the whole object, also when only a range is read. */
  bytes: number;
}

/** Objects by key. Keys use `a-z0-9/._-` and never come from a user. */
export interface StoragePort {
  /** Writes atomically and replaces an existing object. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns null when the object does not exist. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Copies a file of this machine, like `put` but without holding it in memory. */
  putFile(key: string, path: string): Promise<void>;
  /** Opens an object, or a range within it, without holding it in memory; null when it does not exist. */
  open(key: string, range?: ByteRange): Promise<StoredObject | null>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** No part begins with a dot, so that a key cannot leave its folder. */
const KEY_SHAPE = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 200;

/** @throws Error when a key is invalid */
export const assertStorageKey = (key: string): void => {
  if (key.length > MAX_KEY_LENGTH || !KEY_SHAPE.test(key)) throw new Error(`Not a storage key: ${JSON.stringify(key)}`);
};

/** Objects by key. Keys use `a-z0-9/._-` and never come from a user. */
export interface StoragePort {
  /** Writes atomically and replaces an existing object. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns null when the object does not exist. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
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

/** Objects by key. Keys are `a-z0-9/._-`, chosen by us, never by a user. */
export interface StoragePort {
  /** Writes whole or not at all; writing the same key again is harmless. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or null when there is no such object. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Whether there is such an object, without reading it. */
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** Parts of letters, digits, dot, dash and underscore, none beginning with a dot: no key can leave its folder. */
const KEY_SHAPE = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 200;

/** @throws Error when a text is not a key as the port describes it. */
export const assertStorageKey = (key: string): void => {
  if (key.length > MAX_KEY_LENGTH || !KEY_SHAPE.test(key)) throw new Error(`Not a storage key: ${JSON.stringify(key)}`);
};

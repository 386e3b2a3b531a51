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

import { readStored, writeStored } from "./browser-storage.ts";

/** Storage key of the Manual Pin Creation form: texts in local storage, images in an IndexedDB of this name. */
export const BULK_DRAFT_KEY = "bulkDraft";

const STORE = "pictures";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const openDatabase = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(BULK_DRAFT_KEY, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
};

/** Returns null where IndexedDB is unavailable (some private windows) or full. */
const inStore = async <T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | null> => {
  try {
    const database = await openDatabase();
    try {
      return await done(work(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      database.close();
    }
  } catch (error) {
    console.warn("The images of the draft could not be saved", error);
    return null;
  }
};

export const saveImage = async (rowKey: string, file: File): Promise<void> => {
  await inStore("readwrite", (store) => store.put(file, rowKey));
};

export const readImages = async (): Promise<Map<string, File>> => {
  const keys = (await inStore("readonly", (store) => store.getAllKeys())) ?? [];
  const files: unknown[] = (await inStore("readonly", (store) => store.getAll())) ?? [];
  const pairs = keys.flatMap((key, at): [string, File][] => {
    const file = files[at];
    return file instanceof File ? [[String(key), file]] : [];
  });
  return new Map(pairs);
};

export const deleteOtherImages = async (rowKeys: ReadonlySet<string>): Promise<void> => {
  const keys = (await inStore("readonly", (store) => store.getAllKeys())) ?? [];
  for (const key of keys) if (!rowKeys.has(String(key))) await inStore("readwrite", (store) => store.delete(key));
};

export const readBulkDraft = (): string | null => readStored(BULK_DRAFT_KEY);

/** Saves the texts; null deletes them. When storage is full, the older texts stay. */
export const saveBulkDraft = (text: string | null): void => {
  try {
    writeStored(BULK_DRAFT_KEY, text);
  } catch (error) {
    console.warn("The draft could not be saved", error);
  }
};

export const deleteBulkDraft = async (): Promise<void> => {
  writeStored(BULK_DRAFT_KEY, null);
  await inStore("readwrite", (store) => store.clear());
};

import { readStored, writeStored } from "./browser-storage.ts";

/** Where this browser keeps the form of pins made by hand: texts here, images in a database of that name. */
export const BULK_DRAFT_KEY = "bulkDraft";

const STORE = "pictures";

/** Waits for a request of the database. */
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

/** Null where the browser keeps no database (private windows of some), or has no room. */
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
    console.warn("Images of the draft could not be kept", error);
    return null;
  }
};

/** Keeps the image of a row. */
export const keepPicture = async (rowKey: string, file: File): Promise<void> => {
  await inStore("readwrite", (store) => store.put(file, rowKey));
};

/** The images that were kept, by their rows. */
export const readPictures = async (): Promise<Map<string, File>> => {
  const keys = (await inStore("readonly", (store) => store.getAllKeys())) ?? [];
  const files: unknown[] = (await inStore("readonly", (store) => store.getAll())) ?? [];
  const pairs = keys.flatMap((key, at): [string, File][] => {
    const file = files[at];
    return file instanceof File ? [[String(key), file]] : [];
  });
  return new Map(pairs);
};

/** Forgets the images of rows that are there no more. */
export const keepOnly = async (rowKeys: ReadonlySet<string>): Promise<void> => {
  const keys = (await inStore("readonly", (store) => store.getAllKeys())) ?? [];
  for (const key of keys) if (!rowKeys.has(String(key))) await inStore("readwrite", (store) => store.delete(key));
};

/** The texts that were kept, as they were written. */
export const readDraft = (): string | null => readStored(BULK_DRAFT_KEY);

/** Keeps the texts; null: there are none any more. A full storage keeps the older ones: the page itself has the newer. */
export const keepDraft = (text: string | null): void => {
  try {
    writeStored(BULK_DRAFT_KEY, text);
  } catch (error) {
    console.warn("The draft could not be kept", error);
  }
};

/** Forgets texts and images: they were sent, or somebody logged out. */
export const forgetDraft = async (): Promise<void> => {
  writeStored(BULK_DRAFT_KEY, null);
  await inStore("readwrite", (store) => store.clear());
};

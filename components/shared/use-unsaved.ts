import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { getToken, onTokenChange } from "#lib/client/browser-storage.ts";

/** Kept while the app is open, across screens. */
const unsaved = new Map<string, unknown>();
let isSubscribed = false;

/** Keeps a value until it is saved, or until the login ends in any tab. */
const keepUnsaved = (key: string, value: unknown): void => {
  unsaved.set(key, value);
  if (isSubscribed) return;
  isSubscribed = true;
  // Never unsubscribed, because the user can log out on any screen.
  onTokenChange(() => {
    if (getToken() === null) unsaved.clear();
  });
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Makes the browser ask before it leaves the page. */
const confirmLeave = (event: BeforeUnloadEvent): void => event.preventDefault();

/** A value of a form that survives leaving the screen until it equals what is saved. @returns value, setter, is saved */
export const useUnsaved = <T>(key: string, saved: T): [T, Dispatch<SetStateAction<T>>, boolean] => {
  // Safe: a key has one form, which keeps values of its own type.
  const [value, setValue] = useState(() => (unsaved.has(key) ? (unsaved.get(key) as T) : saved));
  const isSaved = isSame(value, saved);
  useEffect(() => {
    if (isSaved) unsaved.delete(key);
    else keepUnsaved(key, value);
  }, [key, value, isSaved]);
  useEffect(() => {
    if (isSaved) return;
    window.addEventListener("beforeunload", confirmLeave);
    return () => window.removeEventListener("beforeunload", confirmLeave);
  }, [isSaved]);
  return [value, setValue, isSaved];
};

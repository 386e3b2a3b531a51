import { randomInt } from "node:crypto";

/** Eighteen random digits, as the real ids look: neither order nor count can be read from them. */
export function newId(isTaken: (id: string) => boolean): string {
  const id = `8${String(randomInt(1e8)).padStart(8, "0")}${String(randomInt(1e9)).padStart(9, "0")}`;
  return isTaken(id) ? newId(isTaken) : id;
}

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout this script belongs to. Scripts never rely on the folder they were called from. */
export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/** An absolute path inside the checkout. */
export function inRepository(...parts: string[]): string {
  return join(repositoryRoot, ...parts);
}

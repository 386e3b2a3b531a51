import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of this checkout. Scripts never rely on the working directory. */
export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/** An absolute path inside the checkout. */
export function inRepository(...parts: string[]): string {
  return join(repositoryRoot, ...parts);
}

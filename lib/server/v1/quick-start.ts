import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(process.cwd(), "content", "developers");

const EXAMPLES = [
  { name: "curl", file: "quick-start.sh" },
  { name: "TypeScript", file: "quick-start.ts" },
  { name: "Python", file: "quick-start.py" },
] as const;

/** The programs that the reference shows. `contract/v1.test.ts` runs them. */
export const readQuickStarts = (): Promise<{ name: string; code: string }[]> =>
  Promise.all(EXAMPLES.map(async ({ name, file }) => ({ name, code: await readFile(join(FOLDER, file), "utf8") })));

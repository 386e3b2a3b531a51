import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const emptyMap = z.object({ sources: z.tuple([]), sections: z.tuple([]).optional() });

/**
 * Takes away the source maps without a source that the builder leaves beside a worker's entry, though maps are off.
 * One that holds sources is left, for the test of what browsers download to find.
 * @param distDir the build's folder
 * @returns the paths of what was removed
 */
export const removeEmptyMaps = (distDir: string): string[] => {
  const maps = globSync("static/**/*.map", { cwd: distDir }).map((name) => join(distDir, name));
  const empty = maps.filter((path) => emptyMap.safeParse(JSON.parse(readFileSync(path, "utf8"))).success);
  for (const path of empty) rmSync(path);
  return empty;
};

import { clsx } from "clsx/lite";

/**
 * Joins class names. Component styles live in the `components` layer, so a utility passed by a caller wins
 * by layer order and no run-time merging is needed.
 */
export function cn(...inputs: (string | false | null | undefined)[]): string {
  return clsx(...inputs);
}

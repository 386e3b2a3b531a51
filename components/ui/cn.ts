import { clsx } from "clsx/lite";

/**
 * Joins class names. Component styles are in the `components` layer, so a caller's utility classes win without merging.
 */
export function cn(...inputs: (string | false | null | undefined)[]): string {
  return clsx(...inputs);
}

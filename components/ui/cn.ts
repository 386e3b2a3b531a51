import { type ClassValue, clsx } from "clsx";

/**
 * Joins class names. Component styles live in the `components` layer, so a utility passed by a caller wins
 * by layer order and no run-time merging is needed.
 */
export function cn(...inputs: ClassValue[]): string {
  return clsx(inputs);
}

/** How what was held back is sent. */
export type Order = "forward" | "reverse" | "shuffle";

/** Puts a list in this order; the same seed shuffles in the same way. */
export function inOrder<T>(list: readonly T[], order: Order, seed: number): T[] {
  if (order === "reverse") return list.toReversed();
  if (order === "forward") return [...list];
  const next = generator(seed);
  const shuffled = [...list];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    const [left, right] = [shuffled[last], shuffled[other]];
    if (left !== undefined && right !== undefined) [shuffled[last], shuffled[other]] = [right, left];
  }
  return shuffled;
}

/** Mulberry32: numbers from 0 up to 1. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

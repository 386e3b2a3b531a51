/** Deterministic chance: everything this stand-in makes up is a function of the text it was given. */

/** A 32-bit FNV-1a hash of a text, finished so that near texts land far apart. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A source of numbers in [0, 1); the same seed gives the same sequence. */
export type Random = () => number;

/** mulberry32, the generator the poster geometry was designed with. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One element of a non-empty list. */
export function pick<T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error("pick: the list is empty");
  return chosen;
}

/** `count` different elements (all of them when the list is shorter), in a seeded order. */
export function pickSome<T>(random: Random, list: readonly T[], count: number): T[] {
  const rest = [...list];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return chosen;
}

/** A number between two bounds. */
export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

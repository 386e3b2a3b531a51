/** Of the 64 bits of a likeness, so many may differ between pictures that look nearly the same. */
export const NEARLY_SAME_BITS = 8;

/** The first so many bits of a likeness are of light and dark; those after them are of the tint. */
export const LIKENESS_WAVE_BITS = 52;

/** With so few of its bits of light and dark set, a picture is one colour or one even gradient. */
export const PLAIN_WAVES_MOST = 4;

/** How many bits differ between two likenesses (16 hexadecimal digits each): 0 to 64. */
export const likenessDistance = (one: string, other: string): number => {
  let differing = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let count = 0;
  for (; differing > 0n; differing &= differing - 1n) count += 1;
  return count;
};

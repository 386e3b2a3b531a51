/** `1 row`, `12 rows` */
export const countOf = (count: number, word: string): string =>
  `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

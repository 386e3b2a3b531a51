/** Words of placeholders and of typed secrets; they count as nothing. */
const OBVIOUS =
  /(change|replace)[-_ ]?(me|this)|place[-_ ]?holder|pass(word|phrase|wd)?|secret|default|example|sample|testing|test|admin|token|auth|your|super|production|development|evertack|qwerty|asdf|zxcv|foobar|hello|world|dummy|metrics|bearer|key/gi;

const unrepeated = (text: string): string => {
  for (let size = 1; size <= text.length / 2; size += 1) {
    if ([...text].every((char, at) => char === text[at % size])) return text.slice(0, size);
  }
  return text;
};

/** Without characters that continue a run such as `aaaa`, `1234` or `fedc`. */
const withoutRuns = (text: string): string => {
  const step = (at: number) => (text.codePointAt(at) ?? 0) - (text.codePointAt(at - 1) ?? 0);
  return [...text].filter((_, at) => at < 2 || Math.abs(step(at)) > 1 || step(at) !== step(at - 1)).join("");
};

/**
 * An estimate of the bits that someone has to guess: Shannon entropy of the characters, without repetitions, runs and
 * obvious words. 32 random hexadecimal characters have more than 80.
 */
export const guessingBits = (secret: string): number => {
  const rest = withoutRuns(unrepeated(secret.replace(OBVIOUS, "")));
  const counts = new Map<string, number>();
  for (const char of rest) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / rest.length), 0);
};

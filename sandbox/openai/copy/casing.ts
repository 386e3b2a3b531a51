/** Words that carry capitals wherever they stand. */
const PROPER = new Map(
  [
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February April June July August September October November December",
    "Christmas Easter Halloween Thanksgiving Valentine Valentines Hanukkah Diwali Ramadan Eid",
    "Italian French Japanese Korean Thai Mexican Indian Greek Spanish Moroccan Scandinavian Nordic English British",
    "Irish Scottish Mediterranean American Chinese Vietnamese Turkish Lebanese Persian Portuguese German Dutch Swedish",
    "Danish Norwegian Finnish Swiss African Asian European Austrian Victorian Georgian Ghibli",
    "London Paris Rome Lisbon Porto Madrid Barcelona Berlin Amsterdam Vienna Prague Budapest Copenhagen Stockholm Oslo",
    "Edinburgh Dublin Venice Florence Milan Tuscany Sicily Italy France Spain Portugal Greece Croatia Iceland Norway",
    "Sweden Denmark Finland Scotland Ireland Wales England Cornwall Britain Europe Japan Tokyo Kyoto Korea Seoul Thailand",
    "Bangkok Vietnam Bali India Morocco Marrakech Egypt Istanbul York California Florida Hawaii Mexico Peru Canada",
    "Vancouver Australia Sydney Melbourne Zealand Germany Austria Switzerland Netherlands Belgium Africa America Asia",
    "Montessori Pinterest Etsy Kindle Labrador Dachshund Cricut Notion Procreate",
    "I DIY IKEA UK USA NYC BBQ TV ADHD HIIT CV SPF EU AI PDF A4 A5 iPhone LinkedIn Instagram YouTube TikTok Canva WordPress",
  ]
    .join(" ")
    .split(" ")
    .map((word) => [word.toLowerCase(), word]),
);

function isMixedCase(word: string): boolean {
  return /\p{Lu}/u.test(word.slice(1));
}

function settle(word: string): string {
  const [, before = "", core = "", after = ""] = /^([^\p{L}\p{N}]*)(.*?)((?:['’]s)?[^\p{L}\p{N}]*)$/u.exec(word) ?? [];
  const proper = PROPER.get(core.toLowerCase());
  return proper === undefined ? word : `${before}${proper}${after}`;
}

/**
 * A keyword as it would be written inside a sentence: Title Case and CAPITALS come down, names keep theirs.
 * Capitals in the middle of an otherwise plain phrase were meant, so they stay.
 */
export function toSentenceWords(keyword: string): string {
  const words = keyword.split(" ");
  const isShouted = /\p{Lu}/u.test(keyword) && keyword === keyword.toUpperCase() && keyword.length > 4;
  const long = words.filter((word) => word.length > 3);
  const isTitleCase = long.length > 0 && long.every((word) => /^\P{Ll}/u.test(word));
  const lowered = words.map((word, index) => {
    if (isShouted) return word.toLowerCase();
    if (isMixedCase(word)) return word;
    return isTitleCase || index === 0 ? word.toLowerCase() : word;
  });
  const settled = lowered.map((word, index) => {
    const isYork = word.toLowerCase() === "new" && ["york", "zealand"].includes(words[index + 1]?.toLowerCase() ?? "");
    return isYork ? "New" : settle(word);
  });
  return settled.join(" ");
}

/** The text with its first letter as a capital. */
export function capitalised(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]*\p{L}/u, (letter) => letter.toUpperCase());
}

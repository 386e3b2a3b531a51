const SLOTS = 1_024;
/** Longer texts hardly come twice. */
const LENGTH_MAX = 200;

/**
 * What short parts of a page mean, remembered: a page repeats a few names thousands of times. A part that was met
 * before is compared where it stands, without a copy of it.
 */
export class KnownTexts<Meaning> {
  private readonly texts: string[] = new Array<string>(SLOTS).fill("");
  private readonly meanings: Meaning[];
  private readonly read: (text: string) => Meaning;

  constructor(read: (text: string) => Meaning) {
    this.read = read;
    this.meanings = new Array<Meaning>(SLOTS).fill(read(""));
  }

  /** What the part of `html` from one place to another means. */
  meaningOf(html: string, from: number, to: number): Meaning {
    const length = to - from;
    if (length > LENGTH_MAX) return this.read(html.slice(from, to));
    const middle = html.charCodeAt(from + (length >> 1));
    const start = html.charCodeAt(from + 5) * 127 + html.charCodeAt(from + 6) * 3;
    const slot = (length * 7 + middle * 31 + html.charCodeAt(to - 2) * 13 + start) & (SLOTS - 1);
    const known = this.texts[slot] ?? "";
    if (known.length !== length || !html.startsWith(known, from)) {
      const text = html.slice(from, to);
      this.texts[slot] = text;
      this.meanings[slot] = this.read(text);
    }
    return this.meanings[slot] as Meaning;
  }
}

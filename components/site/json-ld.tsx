import type { Thing } from "#components/site/things.ts";

/** Letters that could end the element, or a line of script where a reader takes the block for one. */
const RISKY = /[<>&\u2028\u2029]/g;
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Things as the text of a data block: the same JSON, without a letter that means something to HTML. */
export const toJsonLd = (things: readonly Thing[]): string =>
  JSON.stringify({ "@context": "https://schema.org", "@graph": things }).replace(RISKY, escaped);

/** What a page is about, for search engines. The one place where HTML is set as text (QUALITY §2, row 20). */
export function JsonLd({ things }: { things: readonly Thing[] }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: toJsonLd leaves no letter that means something to HTML
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: toJsonLd(things) }} />;
}

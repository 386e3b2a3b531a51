import { FIELD_SHAPES } from "./attacks-fields.ts";

/** Markup designed to be slow, to break a parser, or to run as script. */
interface Attack {
  name: string;
  /** A page of about n characters: a plain card, the attack, a plain card. Takes linear time. */
  make(length: number): string;
  /** Plain cards that must still be extracted. */
  cards: readonly string[];
}

const plainCard = (author: string, id: string): string =>
  `<div class="css-a-DivItemContainerV2"><div data-e2e="user-post-item"><a href="/@${author}/video/${id}">` +
  `<img alt="plain" src="https://p16.tiktokcdn.com/a.jpeg"></a></div></div>`;

const FIRST_CARD = {
  url: "https://www.tiktok.com/@front/video/7301234567890123456",
  html: plainCard("front", "7301234567890123456"),
};
const LAST_CARD = {
  url: "https://www.tiktok.com/@behind/video/7301234567890123457",
  html: plainCard("behind", "7301234567890123457"),
};

const times = (piece: string, length: number): string => piece.repeat(Math.max(1, Math.floor(length / piece.length)));

/** Repeats numbered pieces until the length is reached. */
const numbered = (piece: (n: number) => string, length: number): string => {
  const pieces: string[] = [];
  for (let written = 0, n = 0; written < length; n += 1) {
    const next = piece(n);
    pieces.push(next);
    written += next.length;
  }
  return pieces.join("");
};

const idOf = (n: number): string => String(7_310_000_000_000_000_000n + BigInt(n) * 4_294_967_296n);
const link = (n: number): string => `<a href="/@u${n % 99}/video/${idOf(n)}">`;
const inCard = (inner: string): string => `<div data-e2e="user-post-item">${link(1)}${inner}</a></div>`;
const half = (length: number): number => Math.floor(length / 2);

const SHAPES: Record<string, (length: number) => string> = {
  "nested tags": (length) => times("<div>", length),
  "nested tags in a card": (length) => inCard(times("<div>", length)),
  "unclosed comments": (length) => times("<!--", length),
  "CDATA flood": (length) => times("<![CDATA[", length),
  "unbalanced pairs": (length) => times("<b><i></b></i>", length),
  "closing tags alone": (length) => times("</div>", length),
  "giant attribute": (length) => inCard(`<img alt="${times("a ", length)}" src="https://x.test/a.jpeg">`),
  "attribute that never ends": (length) => `<div data-e2e="user-post-item" title="${times("x=' <a ", length)}`,
  "a tag with countless attributes": (length) =>
    `<div data-e2e="user-post-item" ${numbered((n) => `a${n}=${n} `, length)}>`,
  NUL: (length) => inCard(`<span>${times("\0a", half(length))}</span>`) + times("<\0div\0>", half(length)),
  "lone surrogates": (length) => inCard(`<img alt="${times("\ud800#\udc00 ", length)}" src="https://x.test/a.jpeg">`),
  "character references": (length) => inCard(`<img alt="${times("&amp;&lt&#0;&#x110000;&", length)}">`),
  "a reference without end": (length) =>
    inCard(`<img alt="&#${times("1", half(length))};&${times("x", half(length))}">`),
  "__proto__ as hashtag": (length) =>
    inCard(`<div data-e2e="user-post-item-desc">${times('<a href="/tag/__proto__">#__proto__</a>', length)}</div>`),
  "countless cards": (length) => numbered((n) => `<div data-e2e="user-post-item">${link(n)}</a></div>`, length),
  "one card countless times": (length) => times(inCard(""), length),
  "cards that never end": (length) => numbered((n) => `<div data-e2e="user-post-item">${link(n)}`, length),
  "scripts that never end": (length) => times('<script id="SIGI_STATE">{"a":', length),
  "deep JSON": (length) => `<script id="SIGI_STATE">${times("[", half(length))}${times("]", half(length))}</script>`,
  "JSON that breaks off": (length) => `<script id="SIGI_STATE">{"ItemModule":{"1":"${times("\\\\\\", length)}`,
  "less-than signs": (length) => times("<", length),
  "created by, without end": (length) => inCard(`<img alt="${times(" created by ", length)}">`),
  "signs of hashtags": (length) => inCard(`<img alt="${times("#", half(length))}${times("#a", half(length))}">`),
  spaces: (length) => inCard(`<div data-e2e="user-post-item-desc">${times(" \n", length)}x</div>`),
  "digits as count": (length) => inCard(`<strong data-e2e="video-views">${times("1.", length)}</strong>`),
  "links to nothing": (length) => times('<a href="/@a/video/', length),
  "inboxes that never end": (length) => times('<div data-e2e="inbox-list"><a href="/tag/a">', length),
  "articles without a link": (length) =>
    times('<article data-e2e="recommend-list-item-container"><p data-e2e="video-desc">a', length),
  "players and likes": (length) => times('<p id="xgwrapper-0-73"><b data-e2e="like-count">1</b>', length),
  "headings and hashtags": (length) => inCard(times('<h2><a href="/tag/a">#a</a>', length)),
  "pages without end": (length) => times('<html><body><div id="app">', length),
  "styles in a caption": (length) =>
    inCard(`<div data-e2e="user-post-item-desc">${times("<style></b>", length)}</div>`),
  "deep tables": (length) => times("<table><tr><td>", length),
};

/** These swallow the rest of the page in every parser, or exceed the limit of cards. */
const SWALLOWS = new Set([
  "unclosed comments",
  "CDATA flood",
  "attribute that never ends",
  "countless cards",
  "cards that never end",
  "scripts that never end",
  "JSON that breaks off",
  "links to nothing",
  "styles in a caption",
]);

/** Pasted JSON has no card around it. */
const BARE: Record<string, (length: number) => string> = {
  "pasted JSON, too deep": (length) => `{"itemList":${times('[{"a":', length)}`,
  "pages and responses": (length) => times('{"itemList":[]}<html></html>', length),
  "an escaped page": (length) => times("&lt;a&amp;#60;&#x26;lt;", length),
  "a page in a string": (length) => `"\\u003chtml${times('\\u003ca b=\\"\\\\', length)}`,
  "pasted JSON, countless items": (length) => `{"itemList":[${numbered((n) => `{"id":"${idOf(n)}"},`, length)}{}]}`,
};

/** Every shape of attack. */
export const ATTACKS: readonly Attack[] = [
  ...Object.entries(SHAPES).map(([name, shape]) => ({
    name,
    make: (length: number) =>
      `<!DOCTYPE html><html><body>${FIRST_CARD.html}${shape(length)}${LAST_CARD.html}</body></html>`,
    cards: SWALLOWS.has(name) ? [FIRST_CARD.url] : [FIRST_CARD.url, LAST_CARD.url],
  })),
  ...FIELD_SHAPES.map(({ name, make, swallows }) => ({
    name,
    make: (length: number) =>
      `<!DOCTYPE html><html><body>${FIRST_CARD.html}${make(length)}${LAST_CARD.html}</body></html>`,
    cards: swallows ? [FIRST_CARD.url] : [FIRST_CARD.url, LAST_CARD.url],
  })),
  ...Object.entries(BARE).map(([name, make]) => ({ name, make, cards: [] })),
];

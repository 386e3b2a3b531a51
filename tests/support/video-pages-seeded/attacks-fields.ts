/** Attacks inside the fields of a card, since each field has its own parsing code. */
interface Shape {
  name: string;
  /** Cards with about n characters in total. */
  make(length: number): string;
  /** Whether it swallows the rest of the page in every parser. */
  swallows: boolean;
}

const idOf = (n: number): string => String(7_320_000_000_000_000_000n + BigInt(n) * 4_294_967_296n);
const times = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

/** A card of a discover page: its text is the alt text, or else the link's title. */
const card = (n: number, attributes: string, inner = ""): string =>
  `<div data-e2e="explore-feed-item"><a href="/@field/video/${idOf(n)}"${attributes}></a>${inner}</div>`;

const FIELDS: Record<string, (value: string, n: number) => string> = {
  alt: (value, n) => card(n, "", `<a href="/@field/video/${idOf(n)}"><img alt="${value}x" src="/a.jpeg"></a>`),
  title: (value, n) => card(n, ` title="${value}x"`),
  href: (value, n) => card(n, "", `<a href="/tag/${value}x">#x</a><a href="/@field/video/${value}1">y</a>`),
  caption: (value, n) => card(n, "", `<div data-e2e="user-post-item-desc">${value}x</div>`),
  "tag link": (value, n) => card(n, "", `<a href="/tag/x">${value}#x</a>`),
  author: (value, n) => card(n, "", `<p data-e2e="search-card-user-unique-id">${value}x</p>`),
  count: (value, n) => card(n, "", `<strong data-e2e="video-views">${value}1.2K</strong>`),
  date: (value, n) => card(n, "", `<div class="css-a-DivTimeTag">${value}3d ago</div>`),
};

const FLOODS = { spaces: " ", "unknown character references": "&nope;", links: "<a>", comments: "<!--" };
const FIELD_LENGTH = 20_000;

/** Fills a field with the flood's value, in as many cards as the length requires. */
const ofFields: readonly Shape[] = Object.entries(FIELDS).flatMap(([field, cardOf]) =>
  Object.entries(FLOODS).map(([flood, piece]) => ({
    name: `${flood} as ${field}`,
    make: (length: number) => {
      const value = times(piece, FIELD_LENGTH);
      return Array.from({ length: Math.ceil(length / FIELD_LENGTH) }, (_, n) => cardOf(value, n)).join("");
    },
    swallows: flood === "comments" && !["alt", "title", "href"].includes(field),
  })),
);

const openTagLinks = (length: number): string =>
  Array.from({ length: Math.ceil(length / 56_000) }, (_, n) => card(n, "", times("<a href=/tag/x>", 56_000))).join("");

/** The main video's caption is compared with that of every video in the embedded data. */
const watchedAmongMany = (length: number): string => {
  const items = Array.from(
    { length: Math.ceil(length / 60) },
    (_, n) => `"${n}":{"id":"${idOf(n)}","desc":"zz","createTime":1}`,
  );
  const caption = `<p data-e2e="video-desc">${times("a.", 5_000)}</p>`;
  return `${caption}<script id="SIGI_STATE">{"ItemModule":{${items.join(",")}}}</script>`;
};

export const FIELD_SHAPES: readonly Shape[] = [
  ...ofFields,
  { name: "links to hashtags that are never closed", make: openTagLinks, swallows: false },
  { name: "a watched video among countless items", make: watchedAmongMany, swallows: false },
];

import { type Extent, endOfText, isClosing, isOpening, keyOf, readExtent, VIDEO_MARKERS } from "./json.ts";

/** "response": an object in a list that is no video, but may contain some. */
type ContainerKind = "other" | "item" | "list" | "module" | "response";

const CONTAINER_KINDS = new Map<string, ContainerKind>([
  ["itemStruct", "item"],
  ["item", "item"],
  ["ItemModule", "module"],
  ["itemList", "list"],
  ["item_list", "list"],
  ["items", "list"],
  ["data", "list"],
  ["webapp.updated-items", "list"],
  ["__DEFAULT_SCOPE__", "other"],
  ["AppContext", "other"],
]);
/** Only names of these lengths are looked up. */
const NAME_LENGTHS = new Set([...CONTAINER_KINDS.keys()].map(({ length }) => length));

const QUOTE = 34;
const COMMA = 44;
const OBJECT = 123;
const ARRAY = 91;
const DEPTH_MAX = 10_000;
/** Responses within responses. Each level is read once more, so this keeps the time linear. */
const LEVELS_MAX = 8;

/** The keys that tell what an object is, as bits. */
const KEY = { id: 1, desc: 2, createTime: 4, video: 8, stats: 16, author: 32, imagePost: 64 } as const;
const CONTAINER = 128;
const KEYS = new Map<string, number>(Object.entries(KEY));
for (const name of CONTAINER_KINDS.keys()) KEYS.set(name, CONTAINER);
const KEY_LENGTHS = new Set([...KEYS.keys()].map(({ length }) => length));
/** Only videos have two of these, beside an id. */
const SIGNS = [KEY.desc, KEY.createTime, KEY.video, KEY.stats];
/** Without one of these, an object that contains others may be a playlist or a response. */
const PROOFS = KEY.author | KEY.video | KEY.imagePost;
const OBJECT_VALUE = /\s*:\s*(?=\{)/y;

/** Tells by its own keys whether an object is a video. */
class OwnKeys {
  /** Whether a key of a response came first at the root, which may be long: it is not read to its end. */
  isEnough = false;
  /** The video that an entry wraps, so that it is read only once. */
  wrapped: Extent | null = null;
  isDone = false;
  private found = 0;
  private readonly json: string;
  private readonly to: number;
  private readonly place: "root" | "entry" | "wrapped";

  constructor(json: string, to: number, place: OwnKeys["place"]) {
    this.json = json;
    this.to = to;
    this.place = place;
  }

  get areOfVideo(): boolean {
    const signs = SIGNS.filter((sign) => this.found & sign).length;
    return this.has(KEY.id) && signs >= 2 && (this.has(PROOFS) || !this.has(CONTAINER));
  }

  /** Of an object that was cut off. What a container has lost is counted there. */
  get mayBeOfVideo(): boolean {
    return this.areOfVideo || (!this.has(CONTAINER) && (this.has(KEY.id) || this.place !== "root"));
  }

  /** @returns where to read on; -1 when it is enough */
  add(from: number, end: number): number {
    const key = KEY_LENGTHS.has(end - from - 2) ? keyOf(this.json, from, end) : null;
    if (key === null) return end;
    const isFirst = !this.has(CONTAINER);
    this.found |= KEYS.get(key) ?? 0;
    this.isDone = this.has(PROOFS) && this.areOfVideo;
    this.isEnough = this.place === "root" && this.has(CONTAINER) && !this.has(KEY.id);
    if (this.place === "entry" && isFirst && CONTAINER_KINDS.get(key) === "item") this.readWrapped(end);
    return this.isEnough ? -1 : Math.max(end, this.wrapped?.to ?? 0);
  }

  private has(bits: number): boolean {
    return (this.found & bits) !== 0;
  }

  private readWrapped(end: number): void {
    OBJECT_VALUE.lastIndex = end;
    if (!OBJECT_VALUE.test(this.json)) return;
    const keys = new OwnKeys(this.json, this.to, "wrapped");
    const object = readExtent(this.json, OBJECT_VALUE.lastIndex, this.to, keys);
    if (object.to >= 0 && keys.areOfVideo) this.wrapped = object;
  }
}

const containerKindOf = (name: string, code: number, parent: ContainerKind | undefined): ContainerKind => {
  const kind = CONTAINER_KINDS.get(name) ?? "other";
  const isInList = parent === undefined || parent === "list";
  if (code === ARRAY) return kind === "list" || isInList ? "list" : "other";
  return kind === "list" ? "other" : kind;
};

/** Finds videos without parsing all of the JSON, so that truncated or broken JSON still yields those before the break. */
export class JsonScanner {
  private readonly json: string;
  private readonly to: number;
  private readonly open: ContainerKind[] = [];
  private levels = 0;
  private cut: Extent | null = null;
  private at: number;
  private name = "";

  constructor(json: string, from: number, to: number) {
    const text = json.slice(from, to);
    this.json = json;
    this.to = to;
    this.at = VIDEO_MARKERS.test(text) ? from : to;
  }

  /** The last one may be what was cut off. */
  next(): Extent | null {
    const { json, to } = this;
    while (this.at < to) {
      const code = json.charCodeAt(this.at);
      if (code === QUOTE) this.handleText();
      else if (code === COMMA) this.name = "";
      else if (isOpening(code)) {
        const item = this.handleOpening(code);
        if (item) return item;
      } else if (isClosing(code) && this.open.pop() === "response") this.levels -= 1;
      this.at += 1;
    }
    const { cut } = this;
    this.cut = null;
    return cut;
  }

  private handleText(): void {
    const end = endOfText(this.json, this.at + 1, this.to);
    this.name = NAME_LENGTHS.has(end - this.at - 2) ? this.json.slice(this.at + 1, end - 1) : "";
    this.at = end < 0 ? this.to : end - 1;
  }

  private handleOpening(code: number): Extent | null {
    const { open } = this;
    const parent = open.at(-1);
    const kind = containerKindOf(this.name, code, parent);
    this.name = "";
    const isEntry = parent === undefined || parent === "list" || parent === "module";
    const mayBeVideo = kind === "item" || (kind === "other" && isEntry);
    if (code === OBJECT && mayBeVideo && this.levels < LEVELS_MAX) return this.readObject();
    if (open.push(kind) > DEPTH_MAX) this.at = this.to;
    return null;
  }

  private readObject(): Extent | null {
    const keys = new OwnKeys(this.json, this.to, this.open.length === 0 ? "root" : "entry");
    const object = readExtent(this.json, this.at, this.to, keys);
    const { wrapped } = keys;
    const isCut = object.to < 0 && !keys.isEnough;
    if (isCut && keys.mayBeOfVideo) this.cut = object;
    if (!keys.areOfVideo) {
      this.open.push("response");
      this.levels += 1;
      if (wrapped) this.at = wrapped.to;
      return wrapped;
    }
    this.at = isCut ? this.to : object.to;
    return isCut ? null : { ...object, depth: Math.max(object.depth, (wrapped?.depth ?? 0) + 1) };
  }
}

import { type Extent, endOfText, isClosing, isOpening, readExtent, VIDEO_MARKERS } from "./json.ts";

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

/** The keys that only videos have together. */
const SIGNS = ["desc", "createTime", "video", "stats"];

/** Without one of these, an object that contains others may be a playlist or a response. */
const PROOFS = ["author", "video", "imagePost"];

/** Tells by its own keys whether an object is a video. */
class OwnKeys {
  /** Whether a key of a response came first at the root, which may be long: it is not read to its end. */
  isEnough = false;
  private hasId = false;
  private isContainer = false;
  private isProven = false;
  private readonly isRoot: boolean;
  private readonly signs = new Set<string>();

  constructor(isRoot: boolean) {
    this.isRoot = isRoot;
  }

  get areOfVideo(): boolean {
    return this.hasId && this.signs.size >= 2 && (this.isProven || !this.isContainer);
  }

  /** Of an object that was cut off. What a container has lost is counted there. */
  get mayBeOfVideo(): boolean {
    return this.areOfVideo || (!this.isContainer && (this.hasId || !this.isRoot));
  }

  readonly add = (key: string): boolean => {
    if (key === "id") this.hasId = true;
    if (SIGNS.includes(key)) this.signs.add(key);
    this.isProven ||= PROOFS.includes(key);
    this.isContainer ||= CONTAINER_KINDS.has(key);
    this.isEnough = this.isRoot && this.isContainer && !this.hasId;
    return this.isEnough;
  };
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
    const keys = new OwnKeys(this.open.length === 0);
    const object = readExtent(this.json, this.at, this.to, keys.add);
    const isCut = object.to < 0 && !keys.isEnough;
    if (isCut && keys.mayBeOfVideo) this.cut = object;
    if (!keys.areOfVideo) {
      this.open.push("response");
      this.levels += 1;
      return null;
    }
    this.at = isCut ? this.to : object.to;
    return isCut ? null : object;
  }
}

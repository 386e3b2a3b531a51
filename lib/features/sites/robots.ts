import "server-only";
import robotsParser from "robots-parser";

/** Of one robots.txt, for one program and for `*` each. More than real files have, and few enough to check many URLs. */
const RULES_MAX = 1_000;
const PATTERN_CHARS = 500;
/** Matching a wildcard pattern takes its length times the path's, so this limits their total length. */
const WILDCARD_CHARS = 10_000;
const SITEMAPS_MAX = 100;

export interface RobotsRules {
  /** Also true for URLs of other origins, which their own file decides about. */
  mayRead: (url: string) => boolean;
  sitemaps: string[];
}

/** The rules for one program, each once. */
class Group {
  private readonly rules = new Set<string>();
  private wildcardChars = 0;

  add(key: string, value: string): void {
    if (value === "" || this.rules.size >= RULES_MAX) return;
    // The beginning of a pattern matches more, so only what is disallowed may be cut.
    if (value.length > PATTERN_CHARS && key === "allow") return;
    const pattern = value.slice(0, PATTERN_CHARS).replace(/\*{2,}/g, "*");
    const rule = `${key}:${pattern}`;
    if (this.rules.has(rule)) return;
    if (pattern.includes("*")) this.wildcardChars += pattern.length;
    if (!pattern.includes("*") || this.wildcardChars <= WILDCARD_CHARS) this.rules.add(rule);
  }

  /** The empty rule keeps a group that allows everything. */
  lines(): string[] {
    return ["disallow:", ...this.rules];
  }
}

const RULE_KEYS = new Set(["allow", "disallow", "crawl-delay"]);

const nameOf = (value: string): string => (value.toLowerCase().split("/", 1)[0] ?? "").trim();

const partsOf = (line: string): [key: string, value: string] => {
  const [said = ""] = line.split("#", 1);
  const at = said.indexOf(":");
  return at < 0 ? ["", ""] : [said.slice(0, at).trim().toLowerCase(), said.slice(at + 1).trim()];
};

/**
 * What a robots.txt says to a program. The parser multiplies rules by the names above them, so it gets only the groups
 * of `*` and of the program, each rule once, up to limits.
 * @param program the name that the file may use
 */
export const readRobotsRules = (url: string, text: string, program: string): RobotsRules => {
  const groups = new Map<string, Group>();
  const sitemaps = new Set<string>();
  const own = new Set(["*", nameOf(program)]);
  let names = new Set<string>();
  let isNaming = false;
  const addName = (name: string): void => {
    if (!isNaming) names = new Set();
    isNaming = true;
    if (own.has(name)) names.add(name);
  };
  const addRule = (key: string, value: string): void => {
    isNaming = false;
    for (const name of names) {
      const group = groups.get(name) ?? new Group();
      groups.set(name, group);
      // A delay says that the group exists.
      if (key !== "crawl-delay") group.add(key, value);
    }
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [key, value] = partsOf(line);
    if (key === "user-agent") addName(nameOf(value));
    if (key === "sitemap" && value !== "" && sitemaps.size < SITEMAPS_MAX) sitemaps.add(value);
    if (RULE_KEYS.has(key)) addRule(key, value);
  }
  const lines = [...groups].flatMap(([name, group]) => [`user-agent:${name}`, ...group.lines()]);
  const robots = robotsParser(url, lines.join("\n"));
  return { mayRead: (page) => robots.isAllowed(page, program) !== false, sitemaps: [...sitemaps] };
};

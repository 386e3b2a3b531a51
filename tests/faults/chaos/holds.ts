import { becomes } from "./bounded.ts";

/** A point at which a proxy can hold a statement or request: before it arrives, or after it completed. */
interface HoldPoint {
  side: "before" | "after";
  /** The statement's text, or `METHOD /path`. */
  text: string;
  /** Earlier statements of the same transaction; empty for requests. */
  earlier: readonly string[];
}

/** What to hold, and how often. */
export interface HoldRule {
  side: HoldPoint["side"];
  at: RegExp;
  /** Only in a transaction that already ran a statement like this. */
  following?: RegExp;
  /** How many are held (default 1). */
  times?: number;
  /** How many pass first (default 0). */
  skip?: number;
}

/** What happens to a held call: it continues, or its connection is cut. */
type HoldOutcome = "go" | "cut";

/** An active rule. */
export interface Hold {
  /** How many were held so far. */
  count(): number;
  /** Waits until at least one is held. Returns whether that happened in time. */
  caught(ms: number): Promise<boolean>;
  /** Ends the rule; held calls continue. */
  release(): void;
  /** Ends the rule; connections of held calls are cut. */
  cut(): void;
}

/** The rules of one proxy. */
export interface Holds {
  add(rule: HoldRule): Hold;
  /** Called by the proxy at each point; resolves when the call may continue. */
  reach(point: HoldPoint): Promise<HoldOutcome>;
  /** Whether any rule is active. */
  isActive(): boolean;
  /** How many calls are held now. */
  held(): number;
  releaseAll(): void;
}

interface Active extends HoldRule {
  left: number;
  skipLeft: number;
  caught: number;
  waiting: Set<(outcome: HoldOutcome) => void>;
}

const matches = (rule: Active, point: HoldPoint): boolean =>
  rule.side === point.side &&
  rule.at.test(point.text) &&
  (rule.following === undefined || point.earlier.some((text) => rule.following?.test(text)));

export function createHolds(): Holds {
  const active = new Set<Active>();
  const end = (rule: Active, outcome: HoldOutcome) => {
    active.delete(rule);
    for (const go of rule.waiting) go(outcome);
    rule.waiting.clear();
  };
  return {
    add(options) {
      const rule: Active = {
        ...options,
        left: options.times ?? 1,
        skipLeft: options.skip ?? 0,
        caught: 0,
        waiting: new Set(),
      };
      active.add(rule);
      return {
        count: () => rule.caught,
        caught: (ms) => becomes(() => rule.caught > 0, ms, 10),
        release: () => end(rule, "go"),
        cut: () => end(rule, "cut"),
      };
    },
    reach(point) {
      const rule = [...active].find((item) => item.left > 0 && matches(item, point));
      if (!rule) return Promise.resolve("go");
      if (rule.skipLeft > 0) {
        rule.skipLeft -= 1;
        return Promise.resolve("go");
      }
      rule.left -= 1;
      rule.caught += 1;
      return new Promise((resolve) => rule.waiting.add(resolve));
    },
    isActive: () => active.size > 0,
    held: () => [...active].reduce((sum, rule) => sum + rule.waiting.size, 0),
    releaseAll: () => {
      for (const rule of active) end(rule, "go");
    },
  };
}

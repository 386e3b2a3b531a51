import { becomes } from "./bounded.ts";

/** A moment at which a proxy can stop: a statement or a request, before it arrives or after it was answered. */
export interface Moment {
  side: "before" | "after";
  /** The statement's text, or `METHOD /path`. */
  text: string;
  /** The statements of the same transaction so far; empty for requests. */
  earlier: readonly string[];
}

/** What is to be stopped, and how many times. */
export interface HoldRule {
  side: Moment["side"];
  at: RegExp;
  /** Only in a transaction in which a statement like this was sent before. */
  following?: RegExp;
  /** How many moments are held (default 1). */
  times?: number;
  /** How many pass first (default 0). */
  skip?: number;
}

/** What a proxy does with a moment that was held: let it go on, or cut its connection. */
export type Verdict = "go" | "cut";

/** A rule in force. */
export interface Hold {
  /** How many moments were held so far. */
  count(): number;
  /** Waits until at least one moment is held. @returns whether that came about in time */
  caught(ms: number): Promise<boolean>;
  /** Ends the rule; what is held goes on. */
  release(): void;
  /** Ends the rule; the connections of what is held are cut. */
  cut(): void;
}

/** The rules of one proxy. */
export interface Holds {
  add(rule: HoldRule): Hold;
  /** Called by the proxy at each moment; resolves when the moment may pass. */
  meet(moment: Moment): Promise<Verdict>;
  /** Whether any rule could stop moments of this side now. */
  isArmed(): boolean;
  /** How many moments stand still now. */
  held(): number;
  releaseAll(): void;
}

interface Active extends HoldRule {
  left: number;
  skipLeft: number;
  caught: number;
  waiting: Set<(verdict: Verdict) => void>;
}

const fits = (rule: Active, moment: Moment): boolean =>
  rule.side === moment.side &&
  rule.at.test(moment.text) &&
  (rule.following === undefined || moment.earlier.some((text) => rule.following?.test(text)));

/** An empty set of rules. */
export function createHolds(): Holds {
  const active = new Set<Active>();
  const end = (rule: Active, verdict: Verdict) => {
    active.delete(rule);
    for (const go of rule.waiting) go(verdict);
    rule.waiting.clear();
  };
  return {
    add(asked) {
      const rule: Active = {
        ...asked,
        left: asked.times ?? 1,
        skipLeft: asked.skip ?? 0,
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
    meet(moment) {
      const rule = [...active].find((one) => one.left > 0 && fits(one, moment));
      if (!rule) return Promise.resolve("go");
      if (rule.skipLeft > 0) {
        rule.skipLeft -= 1;
        return Promise.resolve("go");
      }
      rule.left -= 1;
      rule.caught += 1;
      return new Promise((resolve) => rule.waiting.add(resolve));
    },
    isArmed: () => active.size > 0,
    held: () => [...active].reduce((sum, rule) => sum + rule.waiting.size, 0),
    releaseAll: () => {
      for (const rule of active) end(rule, "go");
    },
  };
}

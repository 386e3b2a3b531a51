import type { Card, Count } from "./cards.ts";

/** The nearest owner so far of a figure, and how many elements both are in: the more, the nearer. */
interface Figure {
  count: Count;
  mayBeMain: boolean;
  owner: Card | null;
  nearness: number;
}

const lacks = (card: Card, { fallback }: Count): boolean =>
  card.counts.length < 2 && card.counts.every((one) => one.fallback !== fallback);

/**
 * Finds whose figure one outside of all cards is: of the card or the main video with which it shares most of its
 * ancestors. Each depth is the number of open elements that a position and the current one share.
 */
export class FigureOwners {
  private card: Card | null = null;
  private cardDepth = -1;
  private main: Card | null = null;
  private mainDepth = -1;
  private last: Figure | null = null;
  private lastDepth = -1;

  /** Called with the number of open elements whenever one closes. */
  close(depth: number): void {
    if (this.cardDepth > depth) this.cardDepth = depth;
    if (this.mainDepth > depth) this.mainDepth = depth;
    if (this.lastDepth > depth) this.lastDepth = depth;
  }

  /** A card's link, at its depth. */
  addCard(card: Card, depth: number): void {
    this.card = card;
    this.cardDepth = depth;
    this.claim(card, depth);
  }

  /** A part of the main video, at its depth. */
  addMain(main: Card, depth: number): void {
    this.main = main;
    this.mainDepth = depth;
    if (this.last?.mayBeMain) this.claim(main, depth);
  }

  /** @param current the card that is still open, if any: it wins when the main video is as near */
  add(count: Count, depth: number, { mayBeMain, current }: { mayBeMain: boolean; current: Card | null }): void {
    const ofCard = this.card ? Math.min(this.cardDepth, depth - 1) : -1;
    const ofMain = mayBeMain && this.main ? Math.min(this.mainDepth, depth - 1) : -1;
    const isOfCard = ofCard > ofMain || (ofCard === ofMain && current !== null && current === this.card);
    const nearest = isOfCard ? this.card : ofMain >= 0 ? this.main : null;
    const owner = nearest && lacks(nearest, count) ? nearest : null;
    owner?.counts.push(count);
    this.last = { count, mayBeMain, owner, nearness: Math.max(ofCard, ofMain) };
    this.lastDepth = depth;
  }

  /** A figure that nothing was near to, when there is neither a card nor a main video. */
  get unowned(): Count | null {
    const { last } = this;
    return last?.mayBeMain && last.nearness < 0 ? last.count : null;
  }

  /** Moves the last figure to a nearer owner. */
  private claim(card: Card, depth: number): void {
    const { last } = this;
    const nearness = Math.min(this.lastDepth, depth - 1);
    if (!last || last.owner === card || nearness <= last.nearness || !lacks(card, last.count)) return;
    if (last.owner) last.owner.counts = last.owner.counts.filter((count) => count !== last.count);
    card.counts.push(last.count);
    last.owner = card;
    last.nearness = nearness;
  }
}

import type { VideoAddress } from "./addresses.ts";
import { type Card, createCard, fillCard } from "./cards.ts";
import type { Skips } from "./skips.ts";
import type { PageKind } from "./types.ts";

/** The cards of a page: where one ends and the next begins. */
export class CardList {
  readonly cards: Card[] = [];
  /** How often each kind of list element was seen. */
  readonly pages = new Map<PageKind, number>();
  /** The card that is being read. */
  current: Card | null = null;
  private last: Card | null = null;
  private readonly byId = new Map<string, Card>();
  private readonly most: number;
  private readonly skips: Skips;

  constructor(most: number, skips: Skips) {
    this.most = most;
    this.skips = skips;
  }

  /**
   * An element of a list begins. It belongs to the box around it, or starts a card that ends with its parent: caption
   * and author stand beside it. True when a card has begun.
   */
  startItem(offset: number, depth: number, page: PageKind): boolean {
    this.count(page);
    const { current } = this;
    if (current && !current.address && (current.itemDepth > 0 || !current.hasItem)) {
      current.page ??= page;
      current.hasItem = true;
      current.itemDepth ||= depth;
      return false;
    }
    const card = this.start(createCard(offset, depth - 1, page));
    card.hasItem = true;
    card.itemDepth = depth;
    return true;
  }

  /** A box around an element of a list, and what stands beside it, begins. */
  startBox(offset: number, depth: number, page: PageKind | null): boolean {
    const { current } = this;
    if (current && !current.address && (current.itemDepth > 0 || !current.hasItem)) return false;
    this.start(createCard(offset, depth, page));
    if (page) this.count(page);
    return true;
  }

  /** A link to a video, in no card or in that of another video. */
  startBare(offset: number, depth: number): Card {
    const card = this.start(createCard(offset, depth - 1, null));
    card.isBare = true;
    return card;
  }

  /** The card for something that may stand beside its card: the present one, or the last that still lacks it. */
  forAside(depth: number, lacks: (card: Card) => boolean): Card | null {
    if (!this.current && this.last && lacks(this.last)) {
      this.current = this.last;
      this.current.floor = depth;
    }
    return this.current;
  }

  /** So many elements are open after one was closed. True when the present card has thereby ended. */
  hasEnded(open: number): boolean {
    const { current } = this;
    if (!current) return false;
    if (open < current.itemDepth) current.itemDepth = 0;
    return open < current.floor;
  }

  finish(): void {
    const card = this.current;
    this.current = null;
    if (!card || card === this.last) return;
    if (!card.address) this.skipUnlinked(card);
    else if (!card.isBare || card.hasPicture) this.add(card, card.address);
  }

  private count(page: PageKind): void {
    this.pages.set(page, (this.pages.get(page) ?? 0) + 1);
  }

  private start(card: Card): Card {
    this.finish();
    this.current = card;
    return card;
  }

  private skipUnlinked(card: Card): void {
    if (card.hasBadId) this.skips.add("bad-id", card.offset);
    else if (card.page) this.skips.add("no-link", card.offset);
  }

  private add(card: Card, { id }: VideoAddress): void {
    this.last = card;
    const known = this.byId.get(id);
    if (known) {
      fillCard(known, card);
      this.skips.add("duplicate", card.offset);
    } else if (this.cards.length >= this.most) this.skips.add("too-many", card.offset);
    else {
      this.byId.set(id, card);
      this.cards.push(card);
    }
  }
}

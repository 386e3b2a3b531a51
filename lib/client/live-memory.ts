import type { LiveNews } from "../features/realtime/schema.ts";

const KEPT_MAX = 200;

/** What one tab hears, and from where. */
export interface Tab {
  /** The last event known to what this tab shows; null: nothing yet. */
  after: number | null;
  onNews: (news: LiveNews) => void;
}

const isSignOnly = ({ kind }: LiveNews): boolean => kind === "alive" || kind === "reset";

/** Passes on what a tab has not seen yet, and remembers how far it is. */
export const createSieve = ({ after, onNews }: Tab) => {
  let position = after;
  return {
    position: () => position,
    /**
     * `before` is where the stream stood when this came; null when nothing can be missing. False, and nothing is passed
     * on, when the tab is not that far: it must ask for what is between.
     */
    take: (news: LiveNews, before: number | null): boolean => {
      if (news.kind !== "reset" && before !== null && position !== null && position < before) return false;
      if (!isSignOnly(news) && position !== null && news.id <= position) return true;
      position = news.kind === "reset" ? news.id : Math.max(position ?? 0, news.id);
      onNews(news);
      return true;
    },
  };
};

/** The latest events of a stream, for tabs that come while others have been listening for a while. */
export const createMemory = (begin: number | null) => {
  /** Everything after this is in `kept`; null until the stream says where it begins. */
  let from = begin;
  let last: number | null = null;
  let kept: LiveNews[] = [];
  return {
    /** @returns where the stream stood before this. */
    keep: (news: LiveNews): number => {
      const before = last ?? from ?? news.id;
      from ??= news.id;
      last = news.id;
      if (news.kind === "reset") {
        from = news.id;
        kept = [];
      } else if (news.kind !== "alive") kept.push(news);
      if (kept.length > KEPT_MAX) from = kept.shift()?.id ?? from;
      return before;
    },
    /** What a tab has missed, and a sign that it is connected; nothing more before the stream itself is. */
    since: (after: number | null): LiveNews[] => {
      if (after !== null && from !== null && after < from) return [{ id: last ?? from, kind: "reset", data: {} }];
      if (last === null) return [];
      const alive: LiveNews = { id: last, kind: "alive", data: {} };
      return after === null ? [alive] : [...kept.filter(({ id }) => id > after), alive];
    },
  };
};

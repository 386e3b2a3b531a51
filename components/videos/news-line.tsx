"use client";

import X from "lucide-react/icons/x";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

/** What just happened, in words. */
export type News = { tone: BannerTone; text: string };

/** What else stays in view keeps so far from the line, in pixels. */
const GAP_PX = 10;
const ROOM = "--video-news-room";

/** Tells the style sheet what room the line takes at the window's edge, so that what else stays there is below it. */
const useToldRoom = (): RefObject<HTMLDivElement | null> => {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = line;
    const around = current?.parentElement;
    if (!current || !around) return;
    const observer = new ResizeObserver(() => {
      const height = current.offsetHeight;
      around.style.setProperty(ROOM, `${height === 0 ? 0 : height + GAP_PX}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      around.style.removeProperty(ROOM);
    };
  }, []);
  return line;
};

type NewsLineProps = { news: News | null; onDismiss: () => void; children?: ReactNode };

/**
 * What just happened, read out when it comes (R-ERR-28). It stays in view wherever the list was scrolled to, until the
 * next thing happens or it is dismissed.
 */
export function NewsLine({ news, onDismiss, children }: NewsLineProps) {
  const line = useToldRoom();
  return (
    <div ref={line} aria-live="assertive" className="video-news">
      {children}
      {news && (
        <Banner
          tone={news.tone}
          action={
            <IconButton label="Dismiss" className="video-dismiss" onClick={onDismiss}>
              <X aria-hidden="true" />
            </IconButton>
          }
        >
          {news.text}
        </Banner>
      )}
    </div>
  );
}

import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

/** What just happened, in words. */
export type News = { tone: BannerTone; text: string };

type NewsLineProps = { news: News | null; onDismiss: () => void; children?: ReactNode };

/**
 * What just happened, read out when it comes (R-ERR-28). It stays in view wherever the list was scrolled to, until the
 * next thing happens or it is dismissed.
 */
export function NewsLine({ news, onDismiss, children }: NewsLineProps) {
  return (
    <div aria-live="assertive" className="video-news">
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

"use client";

import Bookmark from "lucide-react/icons/bookmark";
import { type RefObject, useEffect, useState } from "react";
import { PageHead } from "#components/shell/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { AnalyticsTab } from "#components/videos/analytics-tab.tsx";
import { ExtractionReport } from "#components/videos/extraction-report.tsx";
import { useKeptExtractor } from "#components/videos/extractor-context.tsx";
import { HowToCopy } from "#components/videos/how-to-copy.tsx";
import { NewsLine } from "#components/videos/news-line.tsx";
import { PastePanel } from "#components/videos/paste-panel.tsx";
import type { Extractor } from "#components/videos/use-extractor.ts";
import type { Paste } from "#components/videos/use-paste.ts";
import { useResultInView } from "#components/videos/use-result-in-view.ts";
import { VideoList } from "#components/videos/video-list.tsx";
import { countOf, NOTICE_TEXTS } from "#components/videos/video-texts.ts";

type Tab = "extractor" | "analytics";
const PANEL = "videos";

/** What was found, for those who do not see it, and what is wrong where nothing was (A-77). */
function Found({ extraction, isReading }: Pick<Extractor, "extraction"> & { isReading: boolean }) {
  const notice = extraction && extraction.videos.length === 0 ? NOTICE_TEXTS[extraction.notice ?? "no-videos"] : null;
  return (
    <div role="status">
      {notice && (
        <Banner className="mt-6">
          {notice.title} {notice.more}
        </Banner>
      )}
      {/* Gone while the next page is read, so that the same count is read out again. */}
      {extraction && !notice && !isReading && (
        <span className="sr-only">{countOf(extraction.videos.length, "video")} found</span>
      )}
    </div>
  );
}

type ExtractorTabProps = { extractor: Extractor; paste: Paste; place: RefObject<HTMLDivElement | null> };

function ExtractorTab({ extractor, paste, place }: ExtractorTabProps) {
  const { reader, extraction, videos, saving } = extractor;
  return (
    <>
      <PastePanel
        paste={paste}
        share={reader.share}
        onExtract={() => void extractor.extract(paste.pasted)}
        onCancel={reader.cancel}
      />
      <div ref={place}>
        <Found extraction={extraction} isReading={reader.share !== null} />
      </div>
      {!extraction && <HowToCopy />}
      {videos.length > 0 && <VideoList extractor={extractor} />}
      {saving.response !== null && (
        <section className="card video-response" aria-labelledby="api-response">
          <h2 id="api-response">API Response</h2>
          <pre>{saving.response}</pre>
        </section>
      )}
      {extraction && (videos.length > 0 || extraction.skipped.length > 0) && (
        <ExtractionReport extraction={extraction} />
      )}
    </>
  );
}

/** Videos: reads a pasted page into a list (R-VID-01 to R-VID-31) and counts it (R-VAN-01 to R-VAN-05). */
export function VideosScreen() {
  const { extractor, paste } = useKeptExtractor();
  const { news, dismissNews, extraction, videos, analysis, analyseSelected } = extractor;
  const place = useResultInView(extraction);
  const [chosen, setTab] = useState<Tab>("extractor");
  const hasVideos = videos.length > 0;
  const tab = hasVideos ? chosen : "extractor";
  const isAnalysing = tab === "analytics";
  useEffect(() => {
    if (isAnalysing) void analyseSelected();
  }, [isAnalysing, analyseSelected]);
  // What was read stays when another screen is looked at; the news of it does not.
  useEffect(() => dismissNews, [dismissNews]);
  return (
    <>
      <PageHead
        title="Videos"
        action={
          <LinkButton href="/app/saved-videos">
            <Bookmark aria-hidden="true" />
            Saved Videos
          </LinkButton>
        }
      >
        Paste a page's source to list, count, export and save the videos on it.
      </PageHead>
      <Tabs
        label="Videos"
        className="mb-6"
        tabs={[
          { value: "extractor", label: "Extractor" },
          { value: "analytics", label: "Analytics", isDisabled: !hasVideos },
        ]}
        value={tab}
        onChange={(next) => {
          extractor.dismissNews();
          setTab(next);
        }}
        panelId={PANEL}
      />
      <NewsLine news={news} onDismiss={dismissNews} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)}>
        {tab === "extractor" && <ExtractorTab extractor={extractor} paste={paste} place={place} />}
        {tab === "analytics" && analysis && <AnalyticsTab analysis={analysis} />}
      </div>
    </>
  );
}

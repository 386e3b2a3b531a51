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
import { useResultInView } from "#components/videos/use-result-in-view.ts";
import { VideoList } from "#components/videos/video-list.tsx";
import { countOf, NOTICE_TEXTS } from "#components/videos/video-texts.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";

type Tab = "extractor" | "analytics";
const PANEL = "videos";

/** What is wrong with a page without videos (A-77); null where there are some. */
const noticeOf = ({ videos, notice }: Extraction): string | null => {
  if (videos.length > 0) return null;
  const { title, more } = NOTICE_TEXTS[notice ?? "no-videos"];
  return `${title} ${more}`;
};

/**
 * What was found, read out on either tab. Empty from the moment the next page is read until that has been, so that the
 * same words are read out again; what was read before this screen came is not.
 */
function Told({ extraction, isReading }: Pick<Extractor, "extraction"> & { isReading: boolean }) {
  const [old, setOld] = useState(extraction);
  if (isReading && old !== extraction) setOld(extraction);
  return (
    <p role="status" className="sr-only">
      {extraction !== null && extraction !== old && (
        <span>{noticeOf(extraction) ?? `${countOf(extraction.videos.length, "video")} found`}</span>
      )}
    </p>
  );
}

type ExtractorTabProps = { extractor: Extractor; place: RefObject<HTMLDivElement | null> };

function ExtractorTab({ extractor, place }: ExtractorTabProps) {
  const { reader, extraction, videos, saving } = extractor;
  const notice = extraction && noticeOf(extraction);
  return (
    <>
      <PastePanel
        isReading={reader.isReading}
        progress={reader.progress}
        onExtract={(pasted) => void extractor.extract(pasted)}
        onCancel={reader.cancel}
      />
      <div ref={place}>{notice && <Banner className="mt-6">{notice}</Banner>}</div>
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
  const extractor = useKeptExtractor();
  const { news, dismissNews, extraction, videos, analysis, analyseSelected } = extractor;
  const place = useResultInView(extraction);
  const [chosen, setTab] = useState<Tab>("extractor");
  const hasVideos = videos.length > 0;
  const tab = hasVideos ? chosen : "extractor";
  const isAnalysing = tab === "analytics";
  useEffect(() => {
    if (isAnalysing) void analyseSelected();
  }, [isAnalysing, analyseSelected]);
  useEffect(() => editQuery((search) => search.delete(SAME_DOCUMENT)), []);
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
      <Told extraction={extraction} isReading={extractor.reader.isReading} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)}>
        {tab === "extractor" && <ExtractorTab extractor={extractor} place={place} />}
        {tab === "analytics" && analysis && <AnalyticsTab analysis={analysis} />}
      </div>
    </>
  );
}

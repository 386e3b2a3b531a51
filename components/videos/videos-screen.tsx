"use client";

import Bookmark from "lucide-react/icons/bookmark";
import { type RefObject, useEffect, useRef, useState } from "react";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { countOf } from "#lib/core/text.ts";
import { SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";
import { AnalyticsTab } from "./analytics-tab.tsx";
import { ExtractionReport } from "./extraction-report.tsx";
import { type Extractor, useExtractorContext } from "./extractor-context.tsx";
import { StatusBanner } from "./list-tools.tsx";
import { PastePanel } from "./paste-panel.tsx";
import { VideoList } from "./video-list.tsx";
import { NOTICE_TEXTS } from "./video-texts.ts";

const STEPS = [
  "Open a profile, search, hashtag, or video on TikTok and scroll until all the videos you want have appeared.",
  "Save the page (Ctrl+S, or ⌘S on a Mac) and drop the .html file here. Or open your browser's developer tools, right-click the <html> line at the top, copy its outer HTML, and paste it here.",
  "Select “Extract Videos”. Then filter, analyze, export, or save the list.",
];

/** Instructions, shown until a page has been read. */
function HowToCopy() {
  return (
    <section
      className={cn(
        "grid gap-3.5 max-w-[62ch] mt-9",
        "[&_ol]:grid [&_ol]:gap-2.5 [&_ol]:pl-[1.4em] [&_ol]:list-decimal [&_ol]:text-ui/[1.55]",
        "[&_ol]:text-ink-2 [&_li]:pl-1 [&_li]:marker:text-ink-3",
      )}
      aria-labelledby="video-how"
    >
      <h2 id="video-how" className="title-3">
        How to get the page source
      </h2>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

/** How much of a result must be visible to be noticed, in pixels. */
const NOTICED_PX = 200;

/** Scrolls to a new result below the fold; the focus stays. */
const useResultInView = (extraction: Extraction | null): RefObject<HTMLDivElement | null> => {
  const resultRef = useRef<HTMLDivElement>(null);
  const shown = useRef(extraction);
  useEffect(() => {
    if (shown.current === extraction) return;
    shown.current = extraction;
    const top = resultRef.current?.getBoundingClientRect().top ?? 0;
    if (top > window.innerHeight - NOTICED_PX) resultRef.current?.scrollIntoView({ block: "start" });
  }, [extraction]);
  return resultRef;
};

type Tab = "extractor" | "analytics";
const PANEL = "videos";

/** Why there are no videos; null when there are some. */
const noticeOf = ({ videos, notice }: Extraction): string | null => {
  if (videos.length > 0) return null;
  const { title, more } = NOTICE_TEXTS[notice ?? "no-videos"];
  return `${title} ${more}`;
};

/**
 * Announces the result on either tab. Empty while a page is read, so that the same text is announced again; earlier
 * results are not announced.
 */
function ResultAnnouncement({ extraction, isReading }: Pick<Extractor, "extraction"> & { isReading: boolean }) {
  const [previous, setPrevious] = useState(extraction);
  if (isReading && previous !== extraction) setPrevious(extraction);
  return (
    <p role="status" className="sr-only">
      {extraction !== null && extraction !== previous && (
        <span>{noticeOf(extraction) ?? `${countOf(extraction.videos.length, "video")} found`}</span>
      )}
    </p>
  );
}

type ExtractorTabProps = { extractor: Extractor; resultRef: RefObject<HTMLDivElement | null> };

function ExtractorTab({ extractor, resultRef }: ExtractorTabProps) {
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
      <div ref={resultRef}>{notice && <Banner className="mt-6">{notice}</Banner>}</div>
      {!extraction && <HowToCopy />}
      {videos.length > 0 && <VideoList extractor={extractor} />}
      {saving.response !== null && (
        <section
          className={cn(
            "rounded-card bg-surface shadow-card mt-7 py-4.5 px-5 [&>h2]:mb-2.5 [&>h2]:font-sans [&>h2]:text-ui/[1.3] [&>h2]:font-semibold",
            "[&>pre]:py-3 [&>pre]:px-3.5 [&>pre]:rounded-[9px] [&>pre]:bg-well [&>pre]:font-mono",
            "[&>pre]:text-[0.8125rem]/[1.6] [&>pre]:font-normal [&>pre]:text-ink-2",
            "[&>pre]:whitespace-pre-wrap [&>pre]:wrap-anywhere",
          )}
          aria-labelledby="api-response"
        >
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

/** The Videos screen: extraction and analytics. */
export function VideosScreen() {
  const extractor = useExtractorContext();
  const { status, dismissStatus, extraction, videos, analysis, analyzeSelected } = extractor;
  const resultRef = useResultInView(extraction);
  const [chosen, setTab] = useState<Tab>("extractor");
  const hasVideos = videos.length > 0;
  const tab = hasVideos ? chosen : "extractor";
  const isAnalyzing = tab === "analytics";
  useEffect(() => {
    if (isAnalyzing) void analyzeSelected();
  }, [isAnalyzing, analyzeSelected]);
  useEffect(() => editQuery((search) => search.delete(SAME_DOCUMENT)), []);
  // Leaving the screen keeps the extraction but clears the status.
  useEffect(() => dismissStatus, [dismissStatus]);
  return (
    <>
      <PageHeader
        title="Videos"
        action={
          <LinkButton href="/app/saved-videos">
            <Bookmark aria-hidden="true" />
            Saved Videos
          </LinkButton>
        }
      >
        Paste a page's source to list, analyze, export, and save its videos.
      </PageHeader>
      <Tabs
        label="Videos"
        className="mb-6"
        tabs={[
          { value: "extractor", label: "Extractor" },
          { value: "analytics", label: "Analytics", isDisabled: !hasVideos },
        ]}
        value={tab}
        onChange={(next) => {
          extractor.dismissStatus();
          setTab(next);
        }}
        panelId={PANEL}
      />
      <StatusBanner status={status} onDismiss={dismissStatus} />
      <ResultAnnouncement extraction={extraction} isReading={extractor.reader.isReading} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)}>
        {tab === "extractor" && <ExtractorTab extractor={extractor} resultRef={resultRef} />}
        {tab === "analytics" && analysis && <AnalyticsTab analysis={analysis} />}
      </div>
    </>
  );
}

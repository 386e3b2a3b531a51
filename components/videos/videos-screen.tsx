"use client";

import Bookmark from "lucide-react/icons/bookmark";
import { type RefObject, useEffect, useRef, useState } from "react";
import { PageHead } from "#components/shared/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";
import { AnalyticsTab } from "./analytics-tab.tsx";
import { ExtractionReport } from "./extraction-report.tsx";
import { type Extractor, useKeptExtractor } from "./extractor-context.tsx";
import { NewsLine } from "./list-tools.tsx";
import { PastePanel } from "./paste-panel.tsx";
import { VideoList } from "./video-list.tsx";
import { countOf, NOTICE_TEXTS } from "./video-texts.ts";

const STEPS = [
  "Open a profile, a search, a hashtag or a video on TikTok, and scroll until the videos you want have been in view.",
  "Save the page (Ctrl+S, or ⌘S on a Mac) and drop the .html file here. Or open the browser's developer tools, right-click the first line, <html>, copy its outer HTML and paste it.",
  "Press “Extract Videos”. The list is yours to filter, count, export and save.",
];

/** How a page's source comes here; shown until one has been read. */
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
        Where the page's source comes from
      </h2>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

/** How much of a result must be in view, in pixels, for it to be noticed. */
const NOTICED_PX = 200;

/** Scrolls to what a page was read into when that is below the fold; the focus stays where it is. */
const useResultInView = (extraction: Extraction | null): RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(extraction);
  useEffect(() => {
    if (shown.current === extraction) return;
    shown.current = extraction;
    const top = place.current?.getBoundingClientRect().top ?? 0;
    if (top > window.innerHeight - NOTICED_PX) place.current?.scrollIntoView({ block: "start" });
  }, [extraction]);
  return place;
};

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

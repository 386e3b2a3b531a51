"use client";

import Download from "lucide-react/icons/download";
import { useMemo } from "react";
import { useBoards } from "#components/accounts/use-boards.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { downloadBlob } from "#lib/client/files.ts";
import { DIMENSIONS, type Dimension } from "#lib/features/analytics/constants.ts";
import type { ReportRowWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { fileName, reportCsv } from "./analytics-files.ts";
import { AnalyticsSection } from "./analytics-section.tsx";
import { daysText } from "./analytics-text.ts";
import { DIMENSION_NAMES, DIMENSION_NOUNS, rowLabel } from "./evaluate-report.tsx";
import { FindingBoard } from "./finding.tsx";
import { ReportTable } from "./report-table.tsx";
import { SectionError } from "./section-error.tsx";
import { SyncStatus } from "./sync-status.tsx";
import type { Report } from "./use-report.ts";
import { useStableReport } from "./use-stable-report.ts";

const HEADING = "analytics-report";
const PANEL = "analytics-by";

type ReportSectionProps = {
  account: { id: string; username: string };
  by: Dimension;
  onBy: (by: Dimension) => void;
  state: Report;
  now: Date;
  timeZone: string;
  creatorPath: string;
};

function HowToRead({ by }: { by: Dimension }) {
  return (
    <p className="max-w-[84ch] text-xs/[1.55] text-ink-3 text-pretty">
      Click rate is outbound clicks divided by impressions. The bar shows the likely range of the true rate, with 95%
      confidence. Rows are sorted by the low end of that range, so a few lucky clicks can't put a row on top.
      {(by === "weekday" || by === "hour") && " Days and hours are when the pin was published, in your time zone."}
    </p>
  );
}

function NoPublishedPins({ creatorPath }: { creatorPath: string }) {
  return (
    <EmptyState
      title="Nothing published yet"
      action={
        <LinkButton variant="primary" href={creatorPath}>
          Create pins from keywords
        </LinkButton>
      }
    >
      Once your pins are on Pinterest, this is where you'll see which keywords get clicks. The first numbers arrive
      about two days later.
    </EmptyState>
  );
}

/** Says which report is still shown after another failed to load. */
function StaleNotice({ report: { start_date, end_date, by } }: { report: ReportWire }) {
  return (
    <p className="font-[550] text-ink num" role="status">
      Still showing {daysText({ firstDay: start_date, lastDay: end_date })}, by {DIMENSION_NOUNS[by].one}.
    </p>
  );
}

type ReportContentProps = Pick<ReportSectionProps, "account" | "creatorPath"> & {
  report: ReportWire;
  /** The report at an earlier time while the user is reading. */
  headline: ReportWire;
  /** Whether the report is current and its names are loaded. */
  canSave: boolean;
  labelOf: (row: ReportRowWire) => string;
};

function ReportContent({ account, report, headline, canSave, labelOf, creatorPath }: ReportContentProps) {
  const save = () => {
    const { by, rows, start_date: firstDay, end_date: lastDay } = report;
    const file = new Blob([reportCsv(report, DIMENSION_NAMES[by], rows.map(labelOf))], {
      type: "text/csv;charset=utf-8",
    });
    downloadBlob(file, fileName(account.username, `results by ${by}`, { firstDay, lastDay }, "csv"));
  };
  return (
    <>
      <FindingBoard accountId={account.id} report={headline} labelOf={labelOf} creatorPath={creatorPath} />
      <ReportTable
        key={report.by}
        report={report}
        labelOf={labelOf}
        creatorPath={creatorPath}
        tools={
          <Button size="sm" disabled={!canSave} onClick={save}>
            <Download aria-hidden="true" />
            CSV<span className="sr-only"> of this table</span>
          </Button>
        }
      />
      <HowToRead by={report.by} />
    </>
  );
}

function ReportSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-5">
      <span className="sr-only">Loading analytics.</span>
      <Skeleton shape="panel" className="h-75" />
      <Skeleton shape="card" className="h-130" />
    </div>
  );
}

/** The report by group, from stored metrics. */
export function ReportSection(props: ReportSectionProps) {
  const { account, by, onBy, state, now, timeZone, creatorPath } = props;
  const { report, isStale, error, syncRequest, isReloading, reload } = state;
  const boards = useBoards(by === "board" || report?.by === "board" ? account.id : null);
  const { table, headline, listeners } = useStableReport(report);
  const isLoadingNames = report?.by === "board" && boards.items === null && boards.problem === null;
  const names = useMemo(() => new Map(boards.items?.map(({ id, name }) => [id, name])), [boards.items]);
  const labelOf = (row: ReportRowWire): string => rowLabel(row, isLoadingNames ? null : names);
  const showsStale = isStale && error !== null;
  const isEmpty = report !== null && report.gather.published === 0;
  const isOff = report?.gather.state === "off";
  return (
    <AnalyticsSection
      headingId={HEADING}
      title="What's getting clicks"
      note={
        !isEmpty &&
        !isOff &&
        `This shows what's correlated with clicks, not what causes them. Pins with the same ${DIMENSION_NOUNS[by].one} differ in other ways too.`
      }
    >
      {error !== null && (
        <SectionError
          what="This report"
          accountId={account.id}
          error={error}
          focusId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {isEmpty && <NoPublishedPins creatorPath={creatorPath} />}
      {!isEmpty && (report || error === null) && (
        <>
          {!isOff && (
            <Tabs
              label="Group pins by"
              panelId={PANEL}
              tabs={DIMENSIONS.map((value) => ({ value, label: DIMENSION_NAMES[value] }))}
              value={by}
              onChange={onBy}
            />
          )}
          {report && (
            <SyncStatus
              accountId={account.id}
              sync={report.gather}
              syncRequest={syncRequest}
              headingId={HEADING}
              now={now}
              timeZone={timeZone}
            />
          )}
          {boards.problem && (
            <Banner
              tone="low"
              isAnnounced
              action={
                <Button size="sm" onClick={boards.reload}>
                  Try again<span className="sr-only">: board names</span>
                </Button>
              }
            >
              Pinterest didn't return board names, so boards are shown by number. Their metrics aren't affected.
            </Banner>
          )}
          <div
            id={PANEL}
            role="tabpanel"
            aria-labelledby={isOff ? undefined : tabId(PANEL, by)}
            aria-label={isOff ? "Analytics" : undefined}
            aria-busy={error === null && (isStale || report === null)}
            className={cn(
              "grid gap-5.5 transition-[opacity] duration-(--dur-hover) ease-out delay-[120ms]",
              "data-[stale=true]:opacity-55",
            )}
            data-stale={isStale && !showsStale}
            {...listeners}
          >
            {report === null && <ReportSkeleton />}
            {table && headline && !isOff && (
              <>
                {showsStale && <StaleNotice report={table} />}
                <ReportContent
                  account={account}
                  report={table}
                  headline={headline}
                  canSave={!isStale && !isLoadingNames}
                  labelOf={labelOf}
                  creatorPath={creatorPath}
                />
              </>
            )}
          </div>
        </>
      )}
    </AnalyticsSection>
  );
}

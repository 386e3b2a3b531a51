"use client";

import Plus from "lucide-react/icons/plus";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { creatorUrl } from "#lib/core/paths.ts";
import { countOf, formatCount } from "#lib/core/text.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { readVariantsAction } from "#lib/features/analytics/actions.ts";
import { VARIANT_COOLDOWN_DAYS } from "#lib/features/analytics/constants.ts";
import type { VariantsWire, VariantWire } from "#lib/features/analytics/schema.ts";
import { AnalyticsSection } from "./analytics-section.tsx";
import { SectionError } from "./section-error.tsx";

const HEADING = "analytics-variants";

const PERCENT = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

/** '2.1% click rate, published 75 days ago' */
const reasonOf = ({ click_rate, published_at }: VariantWire, now: Date): string => {
  const days = Math.floor((now.getTime() - new Date(published_at).getTime()) / DAY_MS);
  return `${PERCENT.format(click_rate)} click rate, published ${countOf(days, "day")} ago`;
};

type ProposalProps = {
  proposal: VariantsWire["proposals"][number];
  accountId: string;
  creatorPath: string;
  now: Date;
};

function ProposalRow({ proposal: { pin, later }, accountId, creatorPath, now }: ProposalProps) {
  const href = creatorUrl(creatorPath, [pin.keyword || pin.title], {
    url: pin.link,
    accountId,
    boardId: pin.board_id,
  });
  return (
    <li className="flex items-center gap-3.5 border-b border-line py-3 last:border-b-0 max-md:flex-wrap">
      <PinThumb src={pin.image_url} className="h-16 w-11" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-[550]">{pin.title}</p>
        <p className="num text-sm text-ink-2">{reasonOf(pin, now)}</p>
        <p className="num text-sm text-ink-3">
          {countOf(pin.outbound_clicks, "click")} from {formatCount(pin.impressions)} impressions in 90 days
          {later.length > 0 && `. ${countOf(later.length, "later variant")} did worse`}
        </p>
      </div>
      <LinkButton href={href} size="sm" className="max-md:min-h-11 max-md:w-full">
        <Plus aria-hidden="true" />
        New variant<span className="sr-only"> of {pin.title}</span>
      </LinkButton>
    </li>
  );
}

type ComparisonProps = { compared: VariantsWire["compared"][number]; timeZone: string };

function Comparison({ compared: { pins, total }, timeZone }: ComparisonProps) {
  const best = Math.max(...pins.map(({ click_rate }) => click_rate));
  const date = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone });
  return (
    <section
      className="overflow-x-auto rounded-card bg-surface px-4 py-3 shadow-card"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      aria-label={`Pins with the link ${pins[0]?.link}`}
    >
      <table className="num w-full text-sm [&_td]:py-1.5 [&_td]:pr-3 [&_th]:py-1.5 [&_th]:pr-3 [&_th]:text-left [&_th]:font-medium">
        <caption className="pb-1 text-left text-ink-3 wrap-anywhere">
          {pins[0]?.link}
          {total > pins.length && ` (the newest ${pins.length} of ${formatCount(total)} pins)`}
        </caption>
        <thead className="text-xs text-ink-3">
          <tr>
            <th scope="col">Pin</th>
            <th scope="col">Published</th>
            <th scope="col">Impressions</th>
            <th scope="col">Clicks</th>
            <th scope="col">Click rate</th>
          </tr>
        </thead>
        <tbody>
          {pins.map((pin) => (
            <tr key={pin.id} className="border-t border-line">
              <th scope="row" className="min-w-40 wrap-anywhere">
                {pin.title}
              </th>
              <td>{date.format(new Date(pin.published_at))}</td>
              <td>{formatCount(pin.impressions)}</td>
              <td>{formatCount(pin.outbound_clicks)}</td>
              <td>
                {PERCENT.format(pin.click_rate)}
                {pin.click_rate === best && best > 0 && <span className="text-published-ink"> Best</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type VariantsProps = {
  account: { id: string; username: string };
  creatorPath: string;
  timeZone: string;
  now: Date;
  /** Pins with stored metrics: more of them may be ready for a variant. */
  counted: number;
};

/** Published pins that deserve a new image and text for the same link, and how pins with the same link compare. */
export function Variants({ account, creatorPath, timeZone, now, counted }: VariantsProps) {
  const { data, error, isReloading, reload } = useApiQuery(
    queryKeys.variants(account.id, counted),
    () => actionValue(readVariantsAction({ accountId: account.id })),
    { placeholderData: (before: VariantsWire | undefined) => before },
  );
  return (
    <AnalyticsSection
      headingId={HEADING}
      title="Ready for a new variant"
      note={`Pins published at least ${VARIANT_COOLDOWN_DAYS} days ago that still get clicks, with no draft, scheduled, or recent pin for the same link. A variant has a new image and new text. You decide; nothing is generated automatically.`}
    >
      {error !== null && (
        <SectionError
          what="The variants"
          accountId={account.id}
          error={error}
          focusId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {data === null && error === null && <Skeleton className="h-24 w-full" />}
      {data?.proposals.length === 0 && <p className="text-ink-3">No pins are ready for a new variant right now.</p>}
      {data && data.proposals.length > 0 && (
        <ol aria-label="Ready for a new variant" className="rounded-card bg-surface px-4 shadow-card">
          {data.proposals.map((proposal) => (
            <ProposalRow
              key={proposal.pin.id}
              proposal={proposal}
              accountId={account.id}
              creatorPath={creatorPath}
              now={now}
            />
          ))}
        </ol>
      )}
      {data && data.compared.length > 0 && (
        <>
          <h3 className="title-3 mt-4">Variants compared</h3>
          {data.compared.map((compared) => (
            <Comparison key={compared.pins[0]?.link} compared={compared} timeZone={timeZone} />
          ))}
        </>
      )}
    </AnalyticsSection>
  );
}

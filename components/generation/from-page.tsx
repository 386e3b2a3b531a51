"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DetailList } from "#components/shared/detail-list.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { readPinPageAction } from "#lib/features/generation/actions.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

type Page = NonNullable<TaskWire["page"]>;

function Taken({ page }: { page: Page }) {
  const facts = page.taken.map(({ label, value }) => [label, value] as const);
  return <DetailList className="mt-3 pb-1 max-sm:grid-cols-1" facts={facts} />;
}

function PageDetails({ onToggle, children }: { onToggle?: (isOpen: boolean) => void; children: ReactNode }) {
  return (
    <details
      className="rounded-control border border-line px-3.5 py-2.5 text-sm"
      data-slot="from-page"
      onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}
    >
      <summary className="min-h-6 cursor-pointer font-semibold max-md:min-h-11 max-md:content-center">
        {TEXTS.fromPage}
      </summary>
      {children}
    </details>
  );
}

/** What a draft's text was written from, or why its page was not used. */
export function FromPage({ page }: { page: Page }) {
  if (page.problem !== null) {
    return (
      <Banner tone="low">
        <b className="font-semibold">{TEXTS.pageUnused}.</b> {page.problem} The text is based only on the keyword.
      </Banner>
    );
  }
  return (
    <PageDetails>
      <Taken page={page} />
    </PageDetails>
  );
}

function PageOfPin({ page, hasFailed }: { page: Page | null | undefined; hasFailed: boolean }) {
  if (page === undefined) return <p>{hasFailed ? "We couldn't load this. Please try again." : "Loading…"}</p>;
  if (page === null) return <p>We have no record of a page for this pin.</p>;
  if (page.problem !== null) return <p>{page.problem} The text is based only on the keyword.</p>;
  return <Taken page={page} />;
}

/** The same for a pin that was generated for a page. It is read when it is opened, so that it delays and moves nothing. */
export function PinFromPage({ pin }: { pin: PinWire }) {
  const [isOpen, setOpen] = useState(false);
  const { data: page, isError } = useQuery({
    queryKey: queryKeys.pinPage(pin.id),
    queryFn: () => actionValue(readPinPageAction({ pinId: pin.id })),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!pin.from_page) return null;
  return (
    <PageDetails onToggle={setOpen}>
      <div className="text-ink-2 [&>p]:mt-3" aria-live="polite">
        <PageOfPin page={page} hasFailed={isError} />
      </div>
    </PageDetails>
  );
}

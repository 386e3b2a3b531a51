"use client";

import { useQuery } from "@tanstack/react-query";
import { DetailList } from "#components/shared/detail-list.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { readPinPageAction } from "#lib/features/generation/actions.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import type { TaskWire } from "#lib/features/generation/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

/** What a draft's text was written from, or why its page was not used. */
export function FromPage({ page }: { page: NonNullable<TaskWire["page"]> }) {
  if (page.problem !== null) {
    return (
      <Banner tone="low">
        <b className="font-semibold">{TEXTS.pageUnused}.</b> {page.problem} The text is based only on the keyword.
      </Banner>
    );
  }
  return (
    <details className="rounded-control border border-line px-3.5 py-2.5 text-sm" data-slot="from-page">
      <summary className="min-h-6 cursor-pointer font-semibold max-md:min-h-11 max-md:content-center">
        {TEXTS.fromPage}
      </summary>
      <DetailList
        className="mt-3 pb-1 max-sm:grid-cols-1"
        facts={page.taken.map(({ label, value }) => [label, value])}
      />
    </details>
  );
}

/** The same for a pin. Nothing without a page, and while it is unknown. */
export function PinFromPage({ pin }: { pin: PinWire }) {
  const { data: page } = useQuery({
    queryKey: queryKeys.pinPage(pin.id),
    queryFn: () => actionValue(readPinPageAction({ pinId: pin.id })),
    enabled: pin.source === "ai" && pin.url !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return page ? <FromPage page={page} /> : null;
}

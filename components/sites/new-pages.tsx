"use client";

import { useQuery } from "@tanstack/react-query";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { formatCount } from "#lib/core/text.ts";
import { countProposalsAction } from "#lib/features/sites/actions.ts";

/** The number of new pages of watched sites: server-rendered, then refreshed when they change. */
export function NewPagesBadge({ initial }: { initial: number }) {
  // On failure the current number stays until the next change or page load.
  const { data: pages } = useQuery({
    queryKey: queryKeys.newPages,
    queryFn: () => actionValue(countProposalsAction(null)),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  });
  if (pages === 0) return null;
  return (
    <span
      data-slot="new-pages"
      className={
        "ml-auto rounded-full bg-accent-tint px-2 py-0.5 text-xs font-semibold text-accent-ink num md:max-xl:absolute md:max-xl:-top-1 md:max-xl:-right-1"
      }
    >
      {formatCount(pages)}
      <span className="sr-only"> new {pages === 1 ? "page" : "pages"}</span>
    </span>
  );
}

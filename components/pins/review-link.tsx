import GalleryHorizontalEnd from "lucide-react/icons/gallery-horizontal-end";
import { LinkButton } from "#components/ui/link-button.tsx";
import { REVIEW_PATH } from "#lib/features/pins/constants.ts";

type ReviewLinkProps = { accountId: string | null; draftCount: number };

/** Leads to the drafts one by one. */
export function ReviewLink({ accountId, draftCount }: ReviewLinkProps) {
  if (!accountId || draftCount === 0) return null;
  return (
    <LinkButton size="sm" href={`${REVIEW_PATH}?account=${encodeURIComponent(accountId)}`}>
      <GalleryHorizontalEnd aria-hidden="true" />
      Review drafts
    </LinkButton>
  );
}

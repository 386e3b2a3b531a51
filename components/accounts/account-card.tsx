import ExternalLink from "lucide-react/icons/external-link";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { formatDate } from "#lib/core/time.ts";
import type { AccountWire } from "#lib/features/accounts/schema.ts";

type AccountCardProps = {
  account: AccountWire;
  /** The live counts are still on their way. */
  isLoading: boolean;
  timeZone: string;
  onRemove: () => void;
  onReconnect: () => void;
};

const FACTS = [
  ["total_boards", "Boards"],
  ["total_pins", "Pins"],
  ["followers", "Followers"],
  ["monthly_views", "Monthly views"],
] as const;

const shown = (count: number | null): string => (count === null ? "–" : count.toLocaleString("en-US"));

/** A connected account (R-ACC-02). Counts that Pinterest does not tell are a dash, not a zero. */
export function AccountCard({ account, isLoading, timeZone, onRemove, onReconnect }: AccountCardProps) {
  return (
    <li className="card account-card">
      <div className="flex min-w-0 items-center gap-3.5">
        <span aria-hidden="true" className="account-initial">
          {account.username.charAt(0)}
        </span>
        <div className="min-w-0">
          <h2 className="title-3 truncate">{account.username}</h2>
          <p className="text-xs text-ink-3">Added {formatDate(account.created, timeZone)}</p>
        </div>
      </div>
      {account.status === "reconnect_needed" && (
        <Banner
          tone="low"
          action={
            <Button size="sm" onClick={onReconnect}>
              Reconnect<span className="sr-only"> {account.username}</span>
            </Button>
          }
        >
          The connection is lost. Scheduled pins wait.
        </Banner>
      )}
      <dl className="account-facts" aria-busy={isLoading}>
        {FACTS.map(([key, label]) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{isLoading ? <Skeleton className="mt-1.5 h-4 w-16" /> : shown(account[key])}</dd>
          </div>
        ))}
      </dl>
      <div className="flex items-center justify-between gap-3">
        <a
          className={buttonClass({ size: "sm" })}
          href={account.profile_url}
          target="_blank"
          rel="noreferrer"
          aria-label={`View Profile of ${account.username} on Pinterest`}
        >
          View Profile
          <ExternalLink aria-hidden="true" />
        </a>
        <Button variant="danger-quiet" size="sm" onClick={onRemove} aria-label={`Remove ${account.username}`}>
          Remove
        </Button>
      </div>
    </li>
  );
}

import KeyRound from "lucide-react/icons/key-round";
import Plug from "lucide-react/icons/plug";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount } from "#lib/core/text.ts";
import { formatDate, formatDateTime } from "#lib/core/time.ts";
import type { ApiKeyView } from "#lib/features/api-keys/schema.ts";

const stateText = ({ state, isApp }: ApiKeyView): string | null => {
  if (state === "revoked") return isApp ? "Disconnected" : "Revoked";
  return state === "expired" ? "Expired" : null;
};

type KeyActions = { onRotate?: (key: ApiKeyView) => void; onRevoke: (key: ApiKeyView) => void };

type KeyRowProps = KeyActions & { apiKey: ApiKeyView; timeZone: string };

function KeyRow({ apiKey, timeZone, onRotate, onRevoke }: KeyRowProps) {
  const { name, secretStart, isApp, scopes, dailyCredits, state, createdAt, expiresAt, lastUsedAt } = apiKey;
  const Icon = isApp ? Plug : KeyRound;
  const ended = stateText(apiKey);
  return (
    <li className="flex flex-wrap items-start gap-x-3.5 gap-y-3 border-t border-line py-4 text-ui first:border-t-0 first:pt-0">
      <Icon aria-hidden="true" size={19} strokeWidth={1.7} className="mt-0.5 flex-none text-ink-3" />
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-medium wrap-anywhere">
          {name}
          {ended && <Chip>{ended}</Chip>}
        </p>
        {!isApp && <p className="font-mono text-sm wrap-anywhere text-ink-2">{secretStart}…</p>}
        <p className="mt-1 text-sm text-pretty text-ink-3">
          {scopes.join(", ")}
          {dailyCredits !== null && `; up to ${formatCount(dailyCredits)} credits a day`}
        </p>
        <p className="num mt-1 text-sm text-ink-3">
          {isApp ? "Connected" : "Created"} <time dateTime={createdAt}>{formatDate(createdAt, timeZone)}</time>
          {expiresAt && !isApp && (
            <>
              , {state === "expired" ? "expired" : "works until"}{" "}
              <time dateTime={expiresAt}>{formatDate(expiresAt, timeZone)}</time>
            </>
          )}
          {lastUsedAt ? (
            <>
              , last used <time dateTime={lastUsedAt}>{formatDateTime(lastUsedAt, timeZone)}</time>
            </>
          ) : (
            ", not used yet"
          )}
        </p>
      </div>
      {state === "active" && (
        <div className="flex gap-2.5">
          {onRotate && (
            <Button size="sm" onClick={() => onRotate(apiKey)}>
              Replace secret<span className="sr-only"> for {name}</span>
            </Button>
          )}
          <Button size="sm" variant="danger-quiet" onClick={() => onRevoke(apiKey)}>
            {isApp ? "Disconnect" : "Revoke"}
            <span className="sr-only"> {name}</span>
          </Button>
        </div>
      )}
    </li>
  );
}

type KeyListProps = KeyActions & { label: string; keys: readonly ApiKeyView[]; timeZone: string };

/** Keys or connected apps of a user, with what they may do. */
export function KeyList({ label, keys, ...rest }: KeyListProps) {
  return (
    <ul aria-label={label}>
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} {...rest} />
      ))}
    </ul>
  );
}

"use client";

import AtSign from "lucide-react/icons/at-sign";
import Download from "lucide-react/icons/download";
import Fingerprint from "lucide-react/icons/fingerprint-pattern";
import KeyRound from "lucide-react/icons/key-round";
import Link from "lucide-react/icons/link";
import LogIn from "lucide-react/icons/log-in";
import LogOut from "lucide-react/icons/log-out";
import ShieldCheck from "lucide-react/icons/shield-check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import Unlink from "lucide-react/icons/unlink";
import Webhook from "lucide-react/icons/webhook";
import { type ComponentType, useState } from "react";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatDateTime } from "#lib/core/time.ts";
import type { SecurityEvent, SecurityEventKind } from "#lib/features/identity/schema.ts";

export type SecurityEventView = Omit<SecurityEvent, "createdAt"> & {
  /** ISO 8601 */
  createdAt: string;
};

const SIGN_INS: Record<string, string> = {
  password: "Signed in with your password",
  passkey: "Signed in with a passkey",
  google: "Signed in with Google",
  password_code: "Signed in with your password and a code",
  password_recovery_code: "Signed in with your password and a recovery code",
  google_code: "Signed in with Google and a code",
  google_recovery_code: "Signed in with Google and a recovery code",
};

const devices = (count: string): string => (count === "1" ? "another device" : `${count} other devices`);

type EventStyle = {
  Icon: ComponentType<{ size: number; strokeWidth: number; className: string; "aria-hidden": "true" }>;
  text: (detail: string) => string;
};

const EVENTS: Record<SecurityEventKind, EventStyle> = {
  signed_in: { Icon: LogIn, text: (method) => SIGN_INS[method] ?? "Signed in" },
  signed_out: { Icon: LogOut, text: () => "Signed out" },
  login_ended: { Icon: LogOut, text: (device) => `Signed out of ${device || "another device"}` },
  other_logins_ended: { Icon: LogOut, text: (count) => `Signed out of ${devices(count)}` },
  sign_in_code_failed: { Icon: TriangleAlert, text: () => "Wrong two-step code entered" },
  password_changed: { Icon: KeyRound, text: () => "Password changed" },
  password_reset: { Icon: KeyRound, text: () => "Password reset by email" },
  email_change_requested: { Icon: AtSign, text: (email) => `Email change to ${email} requested` },
  email_changed: { Icon: AtSign, text: (email) => `Email changed to ${email}` },
  codes_enabled: { Icon: ShieldCheck, text: () => "Two-step sign-in turned on" },
  codes_disabled: { Icon: TriangleAlert, text: () => "Two-step sign-in turned off" },
  recovery_codes_created: { Icon: ShieldCheck, text: () => "New recovery codes created" },
  recovery_code_used: {
    Icon: TriangleAlert,
    text: (left) => (left ? `Recovery code used, ${left}` : "Recovery code used"),
  },
  passkey_refused: { Icon: TriangleAlert, text: (name) => `Sign-in with passkey “${name}” blocked` },
  passkey_added: { Icon: Fingerprint, text: (name) => `Passkey “${name}” added` },
  passkey_removed: { Icon: Fingerprint, text: (name) => `Passkey “${name}” removed` },
  google_linked: { Icon: Link, text: (email) => `Google account ${email} connected` },
  google_unlinked: { Icon: Unlink, text: (email) => `Google account ${email} disconnected` },
  api_key_created: { Icon: KeyRound, text: (name) => `API key “${name}” created` },
  api_key_rotated: { Icon: KeyRound, text: (name) => `Secret of the API key “${name}” replaced` },
  api_key_revoked: { Icon: KeyRound, text: (name) => `API key “${name}” revoked` },
  app_connected: { Icon: Link, text: (name) => `App “${name}” connected` },
  app_disconnected: { Icon: Unlink, text: (name) => `App “${name}” disconnected` },
  data_exported: { Icon: Download, text: () => "Data downloaded" },
  webhook_added: { Icon: Webhook, text: (host) => `Webhook to ${host} added` },
  webhook_changed: { Icon: Webhook, text: (host) => `Webhook to ${host} changed` },
  webhook_secret_changed: { Icon: Webhook, text: (host) => `Secret of the webhook to ${host} replaced` },
  webhook_removed: { Icon: Webhook, text: (host) => `Webhook to ${host} deleted` },
};

const SHOWN_FIRST = 8;

function EventRow({ event, timeZone }: { event: SecurityEventView; timeZone: string }) {
  const { Icon, text } = EVENTS[event.kind];
  const where = [event.device, event.network].filter(Boolean).join(", ");
  return (
    <li
      className={cn(
        "grid grid-cols-[auto_minmax(0,1fr)] gap-3.5 items-start py-3 text-ui border-t border-line",
        "first:pt-0 first:border-t-0",
      )}
    >
      <Icon aria-hidden="true" size={19} strokeWidth={1.7} className="mt-0.5 text-ink-3" />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{text(event.detail)}</p>
        <p className="num text-sm wrap-anywhere text-ink-3">
          <time dateTime={event.createdAt}>{formatDateTime(event.createdAt, timeZone)}</time>
          {where && ` · ${where}`}
        </p>
      </div>
    </li>
  );
}

type SecurityActivityProps = { events: readonly SecurityEventView[]; timeZone: string };

/** Sign-ins and changes of the account, the latest first. */
export function SecurityActivity({ events, timeZone: painted }: SecurityActivityProps) {
  const timeZone = useTimeZone(painted);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? events : events.slice(0, SHOWN_FIRST);
  if (events.length === 0) return <p className="text-ui text-ink-3">No activity yet.</p>;
  return (
    <>
      <ul aria-label="Security activity">
        {shown.map((event) => (
          <EventRow key={event.id} event={event} timeZone={timeZone} />
        ))}
      </ul>
      {events.length > shown.length && (
        <Button className="mt-4" size="sm" onClick={() => setWhole(true)}>
          Show {events.length - shown.length} more
        </Button>
      )}
    </>
  );
}

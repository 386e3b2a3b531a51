import { cn } from "#components/ui/cn.ts";
import { SUPPORT_HOURS, SUPPORT_REPLY } from "#lib/core/support.ts";

type ContactDetailsProps = { supportEmail: string; supportPhone: string; postalAddress: string };

/** Support's contact details and hours. */
export function ContactDetails({ supportEmail, supportPhone, postalAddress }: ContactDetailsProps) {
  const lines = postalAddress.split(/,\s*|\n/).filter(Boolean);
  return (
    <dl
      className={cn(
        "grid",
        "[&>div]:grid [&>div]:grid-cols-[104px_minmax(0,1fr)] [&>div]:gap-4 [&>div]:py-3.5",
        "[&>div]:text-ui [&>div]:border-t [&>div]:border-line [&_dt]:text-ink-3 [&_dd]:wrap-anywhere",
      )}
    >
      <div>
        <dt>Email</dt>
        <dd>
          <a className="link" href={`mailto:${supportEmail}`}>
            {supportEmail}
          </a>
        </dd>
      </div>
      <div>
        <dt>Phone</dt>
        <dd>
          <a className="link num" href={`tel:${supportPhone.replace(/[^+\d]/g, "")}`}>
            {supportPhone}
          </a>
        </dd>
      </div>
      <div>
        <dt>Hours</dt>
        <dd>
          {SUPPORT_HOURS}
          <span className="mt-1 block text-sm text-ink-3">We reply {SUPPORT_REPLY} on business days.</span>
        </dd>
      </div>
      <div>
        <dt>Address</dt>
        <dd>
          <address className="not-italic">
            {lines.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </address>
        </dd>
      </div>
    </dl>
  );
}

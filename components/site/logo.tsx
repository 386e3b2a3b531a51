import Link from "next/link";
import { cn } from "#components/ui/cn.ts";

const MARK =
  "M12 .9c.36 0 .69.18.88.49l4.05 6.35c.3.47-.04 1.08-.6 1.08h-.9l3.62 5.72c.46.72-.06 1.66-.91 1.66h-5.03l-.62 6.13c-.03.28-.23.47-.49.47s-.46-.19-.49-.47l-.62-6.13H5.86c-.85 0-1.37-.94-.91-1.66l3.62-5.72h-.9c-.56 0-.9-.61-.6-1.08l4.05-6.35c.19-.31.52-.49.88-.49Z";

/** A fir whose trunk is the needle of a tack. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" fill="currentColor" className={className}>
      <path d={MARK} />
    </svg>
  );
}

/** Mark and wordmark beside each other. */
export const LOGO =
  "inline-flex items-center gap-[0.4em] font-display text-[1.4375rem]/none font-medium tracking-[-0.028em] text-ink";

type LogoProps = {
  name: string;
  href: string;
  className?: string;
  /** Of the wordmark, which gives way where there is no room. */
  nameClassName?: string;
};

/**
 * Mark and wordmark, as the way home. The landing page is fetched when it is asked for, not beforehand: the face of its
 * headline, which no other page needs, would come along.
 */
export function Logo({ name, href, className, nameClassName }: LogoProps) {
  return (
    <Link
      href={href}
      prefetch={href === "/" ? false : undefined}
      className={cn(LOGO, className)}
      aria-label={`${name}, home`}
    >
      <Mark className="size-6 flex-none text-accent-ink" />
      <span className={nameClassName} aria-hidden="true">
        {name}
      </span>
    </Link>
  );
}

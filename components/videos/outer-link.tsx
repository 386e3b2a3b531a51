import type { ReactNode } from "react";
import { linkAddress } from "#components/videos/safe-address.ts";

type OuterLinkProps = { href: string | null; className?: string; title?: string; children: ReactNode };

/** A link that came out of a pasted page (R-VID-31): http(s) or no link at all, and nothing is told to where it leads. */
export function OuterLink({ href, className, title, children }: OuterLinkProps) {
  const address = linkAddress(href);
  if (!address) {
    return (
      <span className={className} title={title}>
        {children}
      </span>
    );
  }
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
      className={className}
      title={title}
    >
      {children}
    </a>
  );
}

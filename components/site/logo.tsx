import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { LOGO, Mark } from "./mark.tsx";

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

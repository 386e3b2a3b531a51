import Link from "next/link";
import { Mark } from "#components/site/mark.tsx";
import { cn } from "#components/ui/cn.ts";

type LogoProps = { name: string; href: string; className?: string };

/**
 * Mark and wordmark, as the way home. The landing page is fetched when it is asked for, not beforehand: the face of its
 * headline, which no other page needs, would come along.
 */
export function Logo({ name, href, className }: LogoProps) {
  return (
    <Link
      href={href}
      prefetch={href === "/" ? false : undefined}
      className={cn("logo", className)}
      aria-label={`${name}, home`}
    >
      <Mark className="logo-mark" />
      <span className="logo-name" aria-hidden="true">
        {name}
      </span>
    </Link>
  );
}

import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { LOGO, Mark } from "./mark.tsx";

type LogoProps = {
  name: string;
  href: string;
  className?: string;
  /** Classes of the wordmark. */
  nameClassName?: string;
};

/** Mark and wordmark, linked to the home page. The landing page is not prefetched, since its headline font would load too. */
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

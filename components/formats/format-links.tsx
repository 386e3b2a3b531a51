import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { CAROUSEL_PATH, VIDEO_PIN_PATH } from "#lib/features/formats/constants.ts";
import type { PinFormat } from "#lib/features/pins/constants.ts";

const LINKS = [
  { format: "image", href: "/app/create-pin", label: "Images" },
  { format: "video", href: VIDEO_PIN_PATH, label: "Video" },
  { format: "carousel", href: CAROUSEL_PATH, label: "Carousel" },
] as const satisfies { format: PinFormat; href: string; label: string }[];

/** Leads from one way of creating pins from own files to the others. */
export function FormatLinks({ current }: { current: PinFormat }) {
  return (
    <nav aria-label="Format of new pins" className="mb-5">
      <ul className="inline-flex flex-wrap gap-1 rounded-control bg-well p-1 shadow-[inset_0_0_0_1px_var(--line)]">
        {LINKS.map(({ format, href, label }) => (
          <li key={format}>
            <Link
              href={href}
              aria-current={format === current ? "page" : undefined}
              className={cn(
                "inline-flex min-h-9 items-center rounded-[8px] px-4 text-sm font-semibold text-ink-2 hover:text-ink",
                "aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-card",
                "pointer-coarse:min-h-11",
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

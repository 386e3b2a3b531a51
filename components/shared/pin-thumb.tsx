import { cn } from "#components/ui/cn.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";

/** A tiny image of a pin. */
export function PinThumb({ src, className }: { src: string; className?: string }) {
  return (
    // biome-ignore lint/performance/noImgElement: pins have their own thumbnails
    <img
      src={src}
      srcSet={thumbnailSet(src)}
      sizes="40px"
      alt=""
      width={36}
      height={56}
      loading="lazy"
      decoding="async"
      draggable={false}
      className={cn("flex-none rounded-[5px] bg-(--skeleton) object-cover", className)}
    />
  );
}

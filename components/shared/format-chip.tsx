import GalleryHorizontal from "lucide-react/icons/gallery-horizontal";
import Play from "lucide-react/icons/play";
import { Chip } from "#components/ui/chip.tsx";
import type { PinFormat } from "#lib/features/pins/constants.ts";

const FORMATS = {
  video: { label: "Video", Icon: Play },
  carousel: { label: "Carousel", Icon: GalleryHorizontal },
} as const;

/** The name of a format that is not an image; null for images. */
export const formatLabel = (format: PinFormat): string | null => (format === "image" ? null : FORMATS[format].label);

/** A small badge for videos and carousels. Renders nothing for images. */
export function FormatChip({ format, className }: { format: PinFormat; className?: string }) {
  if (format === "image") return null;
  const { label, Icon } = FORMATS[format];
  return (
    <Chip icon={<Icon aria-hidden="true" />} className={className}>
      {label}
    </Chip>
  );
}

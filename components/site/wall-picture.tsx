import { PinFace } from "#components/pins/pin-face.tsx";

type WallPictureProps = {
  /** Name of a pin in public/pins, which scripts/site-pictures.ts makes. */
  name: string;
  /** Empty where the picture is decoration or a caption beside it says what it shows. */
  alt: string;
  /** How wide it is shown, in CSS px. */
  widthPx: number;
  isEager?: boolean;
  developingPercent?: number;
};

/** The picture of a pin on a public page, in the two widths that it is kept in. */
export function WallPicture({ name, widthPx, ...rest }: WallPictureProps) {
  return (
    <PinFace
      src={`/pins/${name}-480.webp`}
      avifSrcSet={`/pins/${name}-240.avif 240w, /pins/${name}-480.avif 480w`}
      sizes={`${widthPx}px`}
      isDecoration
      {...rest}
    />
  );
}

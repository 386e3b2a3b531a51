type ScreenPictureProps = {
  /** Name of a screen in public/screens, which scripts/site-pictures.ts takes. */
  name: string;
  alt: string;
  sizes: string;
};

const WIDTH_PX = 1280;
const HEIGHT_PX = 800;

function Themed({ name, alt, sizes, theme }: ScreenPictureProps & { theme: "light" | "dark" }) {
  const file = `/screens/${name}-${theme}`;
  return (
    <picture className={`screen-${theme}`}>
      <source type="image/avif" srcSet={`${file}-720.avif 720w, ${file}-1440.avif 1440w`} sizes={sizes} />
      <img
        src={`${file}-1440.webp`}
        alt={alt}
        width={WIDTH_PX}
        height={HEIGHT_PX}
        sizes={sizes}
        loading="lazy"
        decoding="async"
      />
    </picture>
  );
}

/** A real screen of the product in the visitor's theme. The other one is not shown, and so never fetched. */
export function ScreenPicture(props: ScreenPictureProps) {
  return (
    <span className="screen-picture">
      <Themed {...props} theme="light" />
      <Themed {...props} theme="dark" />
    </span>
  );
}

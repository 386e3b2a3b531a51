const addressOf = (text: string | null, isAllowed: (protocol: string) => boolean): string | undefined => {
  if (text === null || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return isAllowed(protocol) ? href : undefined;
};

/** An address that may be a link (R-VID-31): http or https, else undefined. */
export const linkAddress = (text: string | null): string | undefined =>
  addressOf(text, (protocol) => protocol === "https:" || protocol === "http:");

/** An address that may be shown as a picture: https alone, as the pages' policy allows, else undefined. */
export const pictureAddress = (text: string | null): string | undefined =>
  addressOf(text, (protocol) => protocol === "https:");
